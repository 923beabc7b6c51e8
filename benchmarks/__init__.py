"""Measurements that are too slow or too noisy to be tests."""
