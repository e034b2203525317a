// SPDX-License-Identifier: Apache-2.0

drawSections({
  summary: drawSummary,
  scatter: drawScatter,
  parallel: drawParallel,
  heat: drawHeat,
  sensitivity: drawSensitivity,
  points: drawPoints,
}, sweepModel(JSON.parse(document.getElementById("report").textContent)), ["scatter", "heat"]);
