// SPDX-License-Identifier: Apache-2.0

const text = document.getElementById("report").textContent;
drawSections({
  summary: drawSummary,
  roofline: drawRoofline,
  timeline: drawTimeline,
  breakdown: drawBreakdown,
  energy: drawEnergy,
  traffic: drawTraffic,
  layers: drawTable,
  machine: drawMachine,
  data: drawData,
}, { ...modelOf(JSON.parse(text)), text }, ["roofline", "timeline", "traffic"]);
