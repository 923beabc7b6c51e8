"""What is asked and what answers: requests, replies, and the transports that carry them."""
