// SPDX-License-Identifier: Apache-2.0

drawSections({
  summary: drawRuns,
  breakdown: drawWhere,
  energy: drawJoules,
  roofline: drawRooflines,
  layers: layerTable,
}, compareModel(JSON.parse(document.getElementById("report").textContent)), ["roofline"]);
