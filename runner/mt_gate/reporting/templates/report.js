"use strict";
// Filters the groups by hiding rows; without it, everything is shown.
(() => {
  const byId = (id) => document.getElementById(id);
  const filter = byId("filter");
  const text = byId("f-text");
  const relation = byId("f-relation");
  const change = byId("f-change");
  const rows = [];

  // A label stands in the middle of a sentence: search the sentence without it, then the labels.
  const searchable = (row) => {
    const copy = row.cloneNode(true);
    const labels = [...copy.querySelectorAll("mark > b")].map((label) => {
      label.remove();
      return label.textContent;
    });
    return `${copy.textContent} ${labels.join(" ")}`.replace(/\s+/g, " ").toLowerCase();
  };

  for (const section of document.querySelectorAll("section.relation")) {
    for (const list of section.querySelectorAll("details.list")) {
      for (const row of list.querySelectorAll("li.g")) {
        rows.push({ row, list, section, words: null });
      }
    }
  }

  const matches = (entry, wanted) => {
    if (relation.value && entry.section.id !== relation.value) return false;
    if (change.value && entry.list.dataset.kind !== change.value) return false;
    if (!wanted) return true;
    entry.words ??= searchable(entry.row);
    return entry.words.includes(wanted);
  };

  const apply = () => {
    const wanted = text.value.trim().replace(/\s+/g, " ").toLowerCase();
    const filtering = Boolean(wanted || relation.value || change.value);
    const alive = new Set();
    let count = 0;
    for (const entry of rows) {
      const shown = matches(entry, wanted);
      entry.row.hidden = !shown;
      if (!shown) continue;
      count += 1;
      alive.add(entry.list).add(entry.section);
    }
    for (const part of document.querySelectorAll("section.relation, details.list")) {
      part.hidden = filtering && !alive.has(part);
      if (filtering && part.dataset.kind && alive.has(part)) part.open = true;
    }
    byId("f-count").textContent = `${count} of ${rows.length} shown`;
    byId("f-nothing").hidden = count > 0 || !filtering;
  };

  filter.hidden = rows.length === 0;
  filter.addEventListener("input", apply);
  apply();

  // A printed page has no folds to open.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
})();
