"use strict";

// The other versions that were built, from versions.json beside this one's folder. A page opened from
// disk may not ask for it, and says only which version it is of.
async function listVersions(place) {
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const answer = await fetch(new URL("../versions.json", root));
  if (!answer.ok) return;
  const page = location.href.slice(root.href.length).replace(/[?#].*/s, "");
  for (const version of (await answer.json()).versions) {
    const home = new URL(`../${version}/`, root);
    const link = document.createElement("a");
    link.textContent = version;
    link.href = home;
    if (version === place.dataset.version) link.setAttribute("aria-current", "true");
    link.addEventListener("click", async (event) => {
      event.preventDefault(); // the same page, if that version has it
      const same = new URL(page, home);
      const found = await fetch(same, { method: "HEAD" });
      location.href = found.ok ? same : home;
    });
    const item = document.createElement("li");
    item.append(link);
    place.querySelector("ul").append(item);
  }
  place.classList.add("listed");
}

// What is wider than its place can be scrolled by the keyboard, too.
function letScroll() {
  for (const box of document.querySelectorAll(".table-wrapper, article pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

const versions = document.querySelector(".versions");
if (versions && location.protocol !== "file:") listVersions(versions);
letScroll();
addEventListener("resize", letScroll);
