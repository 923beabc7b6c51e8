"use strict";
// The owner's page: says when there is something new, and changes nothing while it is read.
(() => {
  const news = document.getElementById("news");
  const base = location.pathname.replace(/\/$/, "");
  async function look() {
    try {
      const answer = await fetch(`${base}/steps`);
      const { steps } = await answer.json();
      const more = steps - Number(document.body.dataset.steps);
      if (more > 0 && !news.firstChild) {
        const link = document.createElement("a");
        link.href = base;
        news.append(link);
      }
      if (more > 0) news.firstChild.textContent = `${more} new: show them`;
    } catch { /* it is asked again */ }
  }
  setInterval(look, 5000);
})();
