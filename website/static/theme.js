"use strict";
// Before anything is painted: the colours that the reader chose last.
document.body.dataset.theme = localStorage.getItem("theme") || "auto";
