"use strict";
(function () {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const canvas = byId("canvas"), pen = canvas.getContext("2d");
  const chart = byId("chart"), slider = byId("slider");
  const SIDES = 24, RINGS = 40, CUTS = 5, FOCAL = 1.9, MODE_PERIOD = 1.6;
  const SPRING = data.spring, HAZE = 0.45, PAPER = [247, 248, 250];
  const SERIES = ["#3a78b5", "#e08a3c", "#4c9f70", "#b5504f", "#7b6bb0", "#8a8f98"];

  // vectors
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const mul = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const norm = (a) => Math.sqrt(dot(a, a));
  const unit = (a) => { const n = norm(a); return n > 0 ? mul(a, 1 / n) : a; };
  const mix = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];

  function floats(text) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Float32Array(bytes.buffer);
  }

  const results = data.results.map((record) => {
    const result = Object.assign({}, record);
    for (const key of ["value", "nodes", "bodies", "frames", "halfWidth", "points", "lineEnds", "lineOwner"]) result[key] = floats(record[key]);
    result.energy = Object.entries(record.energy).map(([name, text]) => ({ name, series: floats(text) }));
    if (record.modes) {
      result.modes = Object.assign({}, record.modes);
      for (const key of ["nodes", "nodeTurns", "bodies", "bodyTurns", "points"]) result.modes[key] = floats(record.modes[key]);
    }
    result.samples = result.value.length;
    result.nodeCount = result.halfWidth.length / 2;
    result.bodyCount = record.bodyShape.length;
    result.pointCount = result.points.length / 3 / result.samples;
    result.timed = record.label.startsWith("time");
    return result;
  });

  const state = { result: results[0], place: 0, playing: false, speed: 1, mode: 0, trace: -1, phase: 0, camera: null };

  // geometry: one configuration as quadrilaterals
  function outline(round, k) {
    const angle = 2 * Math.PI * k / SIDES + (round ? 0 : Math.PI / 4);
    const x = Math.cos(angle), y = Math.sin(angle);
    const most = round ? 1 : Math.max(Math.abs(x), Math.abs(y));
    return [x / most, y / most];
  }
  const ROUND = Array.from({ length: SIDES }, (_, k) => outline(true, k));
  const SQUARE = Array.from({ length: SIDES }, (_, k) => outline(false, k));

  function tube(rings, centres, out, link) {
    for (let r = 0; r + 1 < rings.length; r++) {
      for (let k = 0; k < SIDES; k++) {
        const n = (k + 1) % SIDES;
        out.push({ corners: [rings[r][k], rings[r][n], rings[r + 1][n], rings[r + 1][k]], link });
      }
    }
    const first = rings[0], last = rings[rings.length - 1];
    for (let k = 0; k < SIDES; k++) {
      const n = (k + 1) % SIDES;
      out.push({ corners: [centres[0], first[n], first[k]], link });
      out.push({ corners: [centres[centres.length - 1], last[k], last[n]], link });
    }
  }

  const unitMeshes = (function () {
    const box = [], ball = [], drum = [];
    const at = (i) => i / CUTS - 0.5;
    for (let axis = 0; axis < 3; axis++) {
      for (const sign of [1, -1]) {
        const point = (i, j) => {
          const p = [0, 0, 0];
          p[axis] = sign / 2; p[(axis + 1) % 3] = at(i); p[(axis + 2) % 3] = at(j);
          return p;
        };
        for (let i = 0; i < CUTS; i++) for (let j = 0; j < CUTS; j++) {
          const face = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
          box.push(sign > 0 ? face : face.reverse());
        }
      }
    }
    const rows = SIDES / 2;
    const onBall = (i, k) => {
      const a = Math.PI * (i / rows - 0.5);
      return [Math.cos(a) * ROUND[k % SIDES][0], Math.cos(a) * ROUND[k % SIDES][1], Math.sin(a)];
    };
    for (let i = 0; i < rows; i++) for (let k = 0; k < SIDES; k++)
      ball.push([onBall(i, k), onBall(i, k + 1), onBall(i + 1, k + 1), onBall(i + 1, k)]);
    const faces = [], levels = Array.from({ length: CUTS + 1 }, (_, i) => at(i));
    tube(levels.map((z) => ROUND.map((p) => [p[0], p[1], z])), levels.map((z) => [0, 0, z]), faces, 0);
    for (const face of faces) drum.push(face.corners);
    return { box, sphere: ball, cylinder: drum, ellipsoid: ball, point: ball };
  })();

  // a vector turned by a rotation vector
  function turned(u, by) {
    const angle = norm(by);
    if (!(angle > 0)) return u;
    const axis = mul(by, 1 / angle), c = Math.cos(angle);
    return add(add(mul(u, c), mul(cross(axis, u), Math.sin(angle))), mul(axis, dot(axis, u) * (1 - c)));
  }

  // pose numbers: position, x axis, z axis; blended between two samples, displaced by a mode
  function poses(array, count, at, moves, turns) {
    const low = Math.min(Math.floor(at), state.result.samples - 1);
    const high = Math.min(low + 1, state.result.samples - 1), t = at - low;
    const list = [];
    for (let i = 0; i < count; i++) {
      const a = 9 * (low * count + i), b = 9 * (high * count + i);
      const part = (k) => mix([array[a + k], array[a + k + 1], array[a + k + 2]],
                              [array[b + k], array[b + k + 1], array[b + k + 2]], t);
      const pose = { p: part(0), x: unit(part(3)), z: unit(part(6)) };
      if (moves) {
        const m = 3 * (state.mode * count + i), share = Math.sin(2 * Math.PI * state.phase);
        pose.rest = pose.p;
        pose.p = add(pose.p, mul([moves[m], moves[m + 1], moves[m + 2]], share));
        pose.turn = mul([turns[m], turns[m + 1], turns[m + 2]], share);
      }
      list.push(pose);
    }
    return list;
  }

  // In a mode sections stay square to the centre line and twist about it.
  function turnWithLine(nodes) {
    const slope = (key, i) => unit(sub(nodes[Math.min(i + 1, nodes.length - 1)][key], nodes[Math.max(i - 1, 0)][key]));
    for (let i = 0; i < nodes.length && nodes.length > 1; i++) {
      const a = slope("rest", i), b = slope("p", i), axis = cross(a, b), c = dot(a, b);
      const turn = (u) => add(add(mul(u, c), cross(axis, u)), mul(axis, dot(axis, u) / (1 + c)));
      nodes[i].x = turn(turned(nodes[i].x, mul(a, dot(a, nodes[i].turn))));
      nodes[i].z = turn(nodes[i].z);
    }
  }

  function rod(result, description, nodes, out) {
    const own = nodes.slice(description.start, description.stop), spans = own.length - 1;
    if (result.modes) turnWithLine(own);
    const rings = [], centres = [], parts = Math.max(1, Math.ceil(RINGS / Math.max(1, spans)));
    const put = (p, x, z, i, j, t) => {
      const y = unit(cross(z, x)), across = cross(y, z);
      const widths = [0, 1].map((k) => {
        const a = result.halfWidth[2 * (description.start + i) + k], b = result.halfWidth[2 * (description.start + j) + k];
        return a + (b - a) * t;
      });
      const form = description.round[i] ? ROUND : SQUARE;
      rings.push(form.map((f) => add(p, add(mul(across, f[0] * widths[0]), mul(y, f[1] * widths[1])))));
      centres.push(p);
    };
    for (let i = 0; i < spans; i++) {
      const a = own[i], b = own[i + 1], chord = norm(sub(b.p, a.p));
      for (let k = 0; k < parts; k++) {
        const t = k / parts, s = 1 - t;
        const p = add(add(mul(a.p, (1 + 2 * t) * s * s), mul(a.z, t * s * s * chord)),
                      add(mul(b.p, t * t * (3 - 2 * t)), mul(b.z, -t * t * s * chord)));
        put(p, unit(mix(a.x, b.x, t)), unit(mix(a.z, b.z, t)), i, i + 1, t);
      }
    }
    const tip = own[spans];
    put(tip.p, tip.x, tip.z, spans, spans, 0);
    tube(rings, centres, out, description.link);
  }

  function surface() {
    const result = state.result, out = [];
    const modes = result.modes || {};
    const nodes = poses(result.nodes, result.nodeCount, state.place, modes.nodes, modes.nodeTurns);
    const bodies = poses(result.bodies, result.bodyCount, state.place, modes.bodies, modes.bodyTurns);
    for (const pose of bodies) if (pose.turn) [pose.x, pose.z] = [turned(pose.x, pose.turn), turned(pose.z, pose.turn)];
    for (const description of result.rods) rod(result, description, nodes, out);
    bodies.forEach((pose, i) => {
      const shape = result.bodyShape[i], z = pose.z, y = unit(cross(z, pose.x)), x = cross(y, z);
      const size = shape === "point" ? [1, 1, 1].map(() => result.pointRadius) : result.bodySize[i];
      const place = (p) => add(pose.p, add(mul(x, p[0] * size[0]), add(mul(y, p[1] * size[1]), mul(z, p[2] * size[2]))));
      for (const face of unitMeshes[shape]) out.push({ corners: face.map(place), link: result.bodyLink[i] });
    });
    return out;
  }

  // lines: edges of meshes as they are, springs as zig-zags square to the view
  function points() {
    const result = state.result, count = result.pointCount, array = result.points, list = [];
    const low = Math.min(Math.floor(state.place), result.samples - 1);
    const high = Math.min(low + 1, result.samples - 1), t = state.place - low;
    const share = Math.sin(2 * Math.PI * state.phase), moves = result.modes && result.modes.points;
    for (let i = 0; i < count; i++) {
      const a = 3 * (low * count + i), b = 3 * (high * count + i), m = 3 * (state.mode * count + i);
      const p = mix([array[a], array[a + 1], array[a + 2]], [array[b], array[b + 1], array[b + 2]], t);
      list.push(moves ? add(p, mul([moves[m], moves[m + 1], moves[m + 2]], share)) : p);
    }
    return list;
  }

  function zigzag(a, b, back) {
    const along = sub(b, a), across = mul(unit(cross(along, back)), Math.min(SPRING.width * state.result.size, SPRING.share * norm(along)));
    const at = (s, swing) => add(add(a, mul(along, s)), mul(across, swing));
    const tooth = (k) => at(SPRING.lead + (1 - 2 * SPRING.lead) * (k + 0.5) / SPRING.teeth, k % 2 ? -1 : 1);
    return [a, at(SPRING.lead, 0), ...Array.from({ length: SPRING.teeth }, (_, k) => tooth(k)), at(1 - SPRING.lead, 0), b];
  }

  function segments(back) {
    const result = state.result, list = points(), out = [];
    for (let i = 0; i < result.lineOwner.length; i++) {
      const a = list[result.lineEnds[2 * i]], b = list[result.lineEnds[2 * i + 1]], owner = result.lineOwner[i];
      const way = result.lineKind[owner] === "spring" ? zigzag(a, b, back) : [a, b];
      for (let k = 0; k + 1 < way.length; k++) out.push({ ends: [way[k], way[k + 1]], owner });
    }
    return out;
  }

  // camera and drawing
  function resetView() {
    const { low, high } = state.result, target = mul(add(low, high), 0.5);
    state.camera = { azimuth: -0.95, elevation: 0.3, distance: 2.05 * FOCAL * norm(sub(high, low)) / 2, target };
  }

  function eyeAxes() {
    const c = state.camera, ce = Math.cos(c.elevation);
    const back = [ce * Math.cos(c.azimuth), ce * Math.sin(c.azimuth), Math.sin(c.elevation)];
    const right = [-Math.sin(c.azimuth), Math.cos(c.azimuth), 0];
    return { eye: add(c.target, mul(back, c.distance)), right, up: cross(back, right), back };
  }

  function draw() {
    const width = canvas.clientWidth, height = canvas.clientHeight, ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { eye, right, up, back } = eyeAxes(), scale = FOCAL * Math.min(width, height);
    const near = 0.02 * state.camera.distance;
    const project = (p) => {
      const d = sub(p, eye), depth = -dot(d, back);
      return depth < near ? null : [width / 2 + scale * dot(d, right) / depth, height / 2 - scale * dot(d, up) / depth, depth];
    };
    const light = unit(add(add(mul(right, -0.5), mul(back, 0.75)), [0, 0, 0.8]));
    const result = state.result, ground = result.low[2];
    drawGrid(project, ground);
    const faces = surface();
    const shown = [], colours = result.colours;
    pen.fillStyle = "rgba(70, 82, 105, 0.20)";
    pen.beginPath();
    const above = eye[2] > ground && light[2] > 0.1;
    for (const face of faces) {
      const c = face.corners, last = c[c.length - 1];
      const normal = unit(cross(sub(c[2], c[0]), sub(last, c[1])));
      // Only lit faces: they all turn the same way, so the union of their shadows has no holes.
      if (above && dot(normal, light) > 0) {
        const fallen = c.map((p) => project(sub(p, mul(light, (p[2] - ground) / light[2]))));
        if (fallen.every(Boolean)) polygon(fallen);
      }
      const view = sub(eye, c[0]);
      if (dot(normal, view) <= 0) continue;
      const corners = c.map(project);
      if (!corners.every(Boolean)) continue;
      const v = unit(view), half = unit(add(v, light));
      const diffuse = Math.max(0, dot(normal, light)), sky = 0.5 + 0.5 * normal[2];
      const shine = 0.28 * Math.pow(Math.max(0, dot(normal, half)), 40) + 0.1 * Math.pow(1 - Math.max(0, dot(normal, v)), 3);
      const tone = colours[face.link].map((k) =>
        Math.round(255 * Math.min(1, k * (0.40 + 0.52 * diffuse + 0.22 * sky) + shine)));
      let depth = 0;
      for (const corner of corners) depth += corner[2] / corners.length;
      shown.push({ corners, depth, tone: "rgb(" + tone.join(",") + ")" });
    }
    pen.fill("nonzero");
    const lines = [];
    pen.strokeStyle = "rgba(70, 82, 105, 0.14)";
    pen.lineWidth = 1;
    pen.beginPath();
    for (const { ends, owner } of segments(back)) {
      const fallen = above ? ends.map((p) => project(sub(p, mul(light, (p[2] - ground) / light[2])))) : [null];
      if (fallen.every(Boolean)) path(fallen);
      const corners = ends.map(project);
      if (corners.every(Boolean)) lines.push({ corners, depth: (corners[0][2] + corners[1][2]) / 2, owner, line: true });
    }
    pen.stroke();
    // Lines have no shade: the far ones fade.
    let nearest = Infinity, farthest = -Infinity;
    for (const { depth } of lines) { nearest = Math.min(nearest, depth); farthest = Math.max(farthest, depth); }
    for (const line of lines) {
      const haze = HAZE * (farthest > nearest ? (line.depth - nearest) / (farthest - nearest) : 0);
      line.tone = "rgb(" + mix(mul(result.lineColours[line.owner], 255), PAPER, haze).map(Math.round).join(",") + ")";
      shown.push(line);
    }
    drawTrace(project);
    shown.sort((a, b) => b.depth - a.depth);
    for (const item of shown) {
      pen.fillStyle = pen.strokeStyle = item.tone;
      pen.lineWidth = item.line ? 1.3 : 0.8;
      pen.beginPath();
      if (item.line) path(item.corners);
      else {
        polygon(item.corners);
        pen.fill();
      }
      pen.stroke();
    }
    drawAxes(right, up, height);
    drawChart();
    describeMoment();
  }

  function path(corners) {
    corners.forEach((p, i) => (i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1])));
  }

  function polygon(corners) {
    path(corners);
    pen.closePath();
  }

  function drawGrid(project, ground) {
    const { low, high, grid } = state.result, reach = 10;
    const middle = [0, 1].map((k) => Math.round((low[k] + high[k]) / 2 / grid) * grid);
    pen.lineWidth = 1;
    for (let i = -reach; i <= reach; i++) for (let j = -reach; j < reach; j++) {
      const fade = Math.hypot(i, j + 0.5) / reach;
      if (fade >= 1) continue;
      pen.strokeStyle = "rgba(160, 170, 186, " + 0.6 * (1 - fade * fade) + ")";
      for (const swap of [false, true]) {
        const corner = (a, b) => project([middle[0] + grid * (swap ? b : a), middle[1] + grid * (swap ? a : b), ground]);
        const a = corner(i, j), b = corner(i, j + 1);
        if (!a || !b) continue;
        pen.beginPath();
        pen.moveTo(a[0], a[1]);
        pen.lineTo(b[0], b[1]);
        pen.stroke();
      }
    }
  }

  function framePlace(result, index, sample) {
    const k = 3 * (sample * result.frameNames.length + index);
    return [result.frames[k], result.frames[k + 1], result.frames[k + 2]];
  }

  function drawTrace(project) {
    const result = state.result;
    if (state.trace < 0 || result.samples < 2) return;
    const strokePart = (from, to, style, wide) => {
      pen.strokeStyle = style;
      pen.lineWidth = wide;
      pen.beginPath();
      let open = false;
      for (let i = from; i <= to; i++) {
        const p = project(framePlace(result, state.trace, i));
        if (p) { if (open) pen.lineTo(p[0], p[1]); else pen.moveTo(p[0], p[1]); open = true; }
      }
      pen.stroke();
    };
    strokePart(0, result.samples - 1, "rgba(200, 85, 61, 0.28)", 1.2);
    strokePart(0, Math.round(state.place), "rgba(200, 85, 61, 0.9)", 1.8);
  }

  function drawAxes(right, up, height) {
    const width = canvas.clientWidth, origin = [width - 52, height - 46];
    [["x", "#c8553d"], ["y", "#2a9d6f"], ["z", "#3a6ea5"]].forEach(([name, colour], k) => {
      const tip = [origin[0] + 30 * right[k], origin[1] - 30 * up[k]];
      pen.strokeStyle = pen.fillStyle = colour;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(origin[0], origin[1]);
      pen.lineTo(tip[0], tip[1]);
      pen.stroke();
      pen.font = "12px system-ui, sans-serif";
      pen.fillText(name, tip[0] + 5 * right[k] - 3, tip[1] - 7 * up[k] + 4);
    });
  }

  function drawChart() {
    const result = state.result;
    if (!result.energy.length || result.samples < 2) return;
    const width = chart.clientWidth, height = chart.clientHeight, ratio = window.devicePixelRatio || 1;
    chart.width = Math.round(width * ratio);
    chart.height = Math.round(height * ratio);
    const p = chart.getContext("2d"), left = 52, bottom = 20, top = 8;
    p.setTransform(ratio, 0, 0, ratio, 0, 0);
    let low = Infinity, high = -Infinity;
    for (const { series } of result.energy) for (const e of series) { low = Math.min(low, e); high = Math.max(high, e); }
    if (!(high > low)) { high = low + (Math.abs(low) || 1); }
    const first = result.value[0], span = result.value[result.samples - 1] - first || 1;
    const px = (t) => left + (width - left - 8) * (t - first) / span;
    const py = (e) => top + (height - top - bottom) * (high - e) / (high - low);
    p.font = "11px system-ui, sans-serif";
    p.fillStyle = "#6b7585";
    p.strokeStyle = "#e1e5eb";
    for (let k = 0; k <= 4; k++) {
      const e = low + (high - low) * k / 4, t = first + span * k / 4;
      p.beginPath(); p.moveTo(left, py(e)); p.lineTo(width - 8, py(e)); p.stroke();
      p.textAlign = "right"; p.fillText(Number(e.toPrecision(3)).toString(), left - 5, py(e) + 4);
      p.textAlign = k === 4 ? "right" : "center";
      p.fillText(Number(t.toPrecision(3)) + (k === 4 ? " s" : ""), px(t), height - 5);
    }
    result.energy.forEach(({ name, series }, k) => {
      p.strokeStyle = name === "total" ? "#262e3c" : SERIES[k % SERIES.length];
      p.setLineDash(name === "total" ? [5, 4] : []);
      p.lineWidth = 1.6;
      p.beginPath();
      series.forEach((e, i) => (i ? p.lineTo(px(result.value[i]), py(e)) : p.moveTo(px(result.value[i]), py(e))));
      p.stroke();
    });
    p.setLineDash([]);
    p.strokeStyle = "#28949e";
    p.beginPath(); p.moveTo(px(valueNow()), top); p.lineTo(px(valueNow()), height - bottom); p.stroke();
  }

  // numbers
  function valueNow() {
    const { value, samples } = state.result, low = Math.min(Math.floor(state.place), samples - 1);
    const high = Math.min(low + 1, samples - 1);
    return value[low] + (value[high] - value[low]) * (state.place - low);
  }

  function placeOf(value) {
    const list = state.result.value;
    let low = 0, high = list.length - 1;
    if (value >= list[high]) return high;
    while (high - low > 1) { const middle = (low + high) >> 1; if (list[middle] <= value) low = middle; else high = middle; }
    return low + Math.max(0, (value - list[low]) / (list[high] - list[low] || 1));
  }

  const number = (x, digits) => (x === null || x === undefined ? "–" : Number(x).toPrecision(digits || 4));

  function describeMoment() {
    const result = state.result;
    let text = "";
    if (result.modes && result.modes.count) {
      const omega = result.modes.frequency[state.mode];
      text = "mode " + (state.mode + 1) + ": " + (omega === null ? "–" : number(omega / 2 / Math.PI)) + " Hz";
    } else if (result.timed) text = "t = " + valueNow().toFixed(result.value[result.samples - 1] < 1 ? 4 : 3) + " s";
    else if (result.samples > 1) text = "load factor " + valueNow().toFixed(3);
    byId("stamp").textContent = text;
    byId("hint").textContent = "grid " + Number((1000 * result.grid).toPrecision(3)) + " mm  ·  drag: turn, shift-drag: move, wheel: zoom, space: play";
    const sample = Math.round(state.place);
    placeCells.forEach((cells, i) =>
      framePlace(result, i, sample).forEach((x, k) => { cells[k].textContent = x.toFixed(4); }));
    if (document.activeElement !== slider || state.playing) slider.value = result.modes ? state.phase % 1 : state.place;
    byId("play").textContent = state.playing ? "Pause" : "Play";
  }

  function row(table, cells, tag) {
    const line = document.createElement("tr");
    const made = cells.map((text) => {
      const cell = document.createElement(tag || "td");
      cell.textContent = text;
      line.appendChild(cell);
      return cell;
    });
    table.appendChild(line);
    return { line, cells: made };
  }

  let placeCells = [];

  function fillTables() {
    const result = state.result, summary = result.summary, origin = result.provenance;
    for (const id of ["facts", "frequencies", "places", "origin", "legend"]) byId(id).replaceChildren();
    const facts = byId("facts");
    row(facts, ["kind", result.kind]);
    if (summary.robot) row(facts, ["robot", summary.robot]);
    const verdict = row(facts, ["outcome", summary.message || String(summary.code)]);
    if (summary.code) verdict.cells[1].className = "failed";
    const plain = { samples: "samples", steps: "steps", iterations: "iterations", load_steps: "load steps",
                    points: result.timed ? "stages" : "load points", failed_points: result.timed ? "failed stages" : "failed points" };
    for (const key of Object.keys(plain)) if (key in summary) row(facts, [plain[key], String(summary[key] ?? "–")]);
    if ("start_s" in summary) row(facts, ["time", number(summary.start_s, 3) + " … " + number(summary.end_s, 3) + " s"]);
    for (const key of ["residual", "largest_residual", "smallest_eigenvalue"])
      if (key in summary) row(facts, [key.replaceAll("_", " "), number(summary[key], 3)]);
    for (const [name, value] of Object.entries(summary.energy_J || {})) row(facts, [name + " energy", number(value) + " J"]);

    byId("mode-part").hidden = !result.modes;
    if (result.modes) {
      row(byId("frequencies"), ["mode", "Hz", "rad/s", "damping"], "th");
      result.modes.frequency.forEach((omega, k) => {
        const { line } = row(byId("frequencies"), [String(k + 1), omega === null ? "–" : number(omega / 2 / Math.PI, 5), number(omega, 5),
          number(result.modes.damping[k], 3)]);
        line.className = k === state.mode ? "pick chosen" : "pick";
        line.addEventListener("click", () => chooseMode(k));
      });
    }

    byId("energy-part").hidden = !result.energy.length || result.samples < 2;
    result.energy.forEach(({ name }, k) => {
      const item = document.createElement("span"), mark = document.createElement("i");
      mark.style.background = name === "total" ? "#262e3c" : SERIES[k % SERIES.length];
      item.append(mark, name);
      byId("legend").appendChild(item);
    });

    const places = byId("places");
    byId("place-part").hidden = !result.frameNames.length && !Object.keys(summary.tips).length;
    row(places, ["", "x", "y", "z"], "th");
    placeCells = result.frameNames.map((name) => row(places, [name, "", "", ""]).cells.slice(1));
    const last = result.samples > 1 ? " (end)" : "";
    for (const [name, place] of Object.entries(summary.tips))
      row(places, ["tip of " + name + last, ...place.map((x) => (x === null ? "–" : x.toFixed(4)))]);

    if (origin.created) row(byId("origin"), ["created", origin.created]);
    for (const [name, version] of Object.entries(origin.versions || {})) row(byId("origin"), [name, version]);
    byId("provenance").textContent = JSON.stringify(origin, null, 2);
  }

  function options(select, items, chosen) {
    select.replaceChildren(...items.map(([value, text]) => {
      const item = document.createElement("option");
      item.value = value;
      item.textContent = text;
      item.selected = value === chosen;
      return item;
    }));
  }

  // what is chosen
  function chooseResult(index) {
    state.result = results[index];
    const result = state.result, moving = result.samples > 1, vibrating = Boolean(result.modes && result.modes.count);
    state.place = 0;
    state.phase = 0.25;
    state.mode = 0;
    state.trace = moving && result.frameNames.length ? 0 : -1;
    state.playing = false;
    [...byId("tabs").children].forEach((tab, k) => tab.setAttribute("aria-selected", String(k === index)));
    slider.max = vibrating ? 1 : Math.max(1, result.samples - 1);
    for (const id of ["play", "slider"]) byId(id).hidden = !moving && !vibrating;
    byId("speed-label").hidden = !moving && !vibrating;
    byId("mode-label").hidden = !vibrating;
    byId("trace-label").hidden = !moving || !result.frameNames.length;
    const duration = result.value[result.samples - 1] - result.value[0];
    const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
    state.speed = 1;
    if (result.timed && duration > 0)
      state.speed = speeds.reduce((best, s) => (Math.abs(Math.log(duration / s / Math.min(Math.max(duration, 1), 12))) <
        Math.abs(Math.log(duration / best / Math.min(Math.max(duration, 1), 12))) ? s : best), 1);
    options(byId("speed"), speeds.map((s) => [s, "×" + s]), state.speed);
    if (vibrating) options(byId("mode"), result.modes.frequency.map((_, k) => [k, String(k + 1)]), 0);
    options(byId("trace"), [[-1, "none"], ...result.frameNames.map((name, k) => [k, name])], state.trace);
    fillTables();
    resetView();
    requestDraw();
  }

  function chooseMode(index) {
    state.mode = index;
    byId("mode").value = String(index);
    fillTables();
    requestDraw();
  }

  function togglePlay() {
    if (byId("play").hidden) return;
    if (!state.result.modes && !state.playing && state.place >= state.result.samples - 1) state.place = 0;
    state.playing = !state.playing;
    requestDraw();
  }

  // the clock
  let before = null, waiting = false;
  function requestDraw() {
    if (!waiting) { waiting = true; requestAnimationFrame(tick); }
  }
  function tick(now) {
    waiting = false;
    const passed = before === null ? 0 : Math.min(0.1, (now - before) / 1000);
    before = state.playing ? now : null;
    if (state.playing && passed > 0) {
      const result = state.result, span = result.value[result.samples - 1] - result.value[0];
      if (result.modes) state.phase = (state.phase + passed * state.speed / MODE_PERIOD) % 1;
      else if (result.timed) {
        const next = valueNow() + passed * state.speed;
        state.place = next >= result.value[result.samples - 1] ? 0 : placeOf(next);
        if (!(span > 0)) state.playing = false;
      } else {
        const next = state.place + passed * state.speed * (result.samples - 1) / 3;
        state.place = next > result.samples - 1 ? 0 : next;
      }
    }
    draw();
    if (state.playing) requestDraw();
  }

  // hands
  const touches = new Map();
  let pinch = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    pinch = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!touches.has(event.pointerId)) return;
    const old = touches.get(event.pointerId), camera = state.camera;
    const dx = event.clientX - old[0], dy = event.clientY - old[1];
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    if (touches.size === 2) {
      const [a, b] = [...touches.values()], gap = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (pinch) camera.distance *= pinch / gap;
      pinch = gap;
      move(dx / 2, dy / 2);
    } else if (event.shiftKey || event.buttons === 2) move(dx, dy);
    else {
      camera.azimuth -= 0.008 * dx;
      camera.elevation = Math.max(-1.5, Math.min(1.5, camera.elevation + 0.008 * dy));
    }
    requestDraw();
  });
  function move(dx, dy) {
    const { right, up } = eyeAxes();
    const scale = state.camera.distance / (FOCAL * Math.min(canvas.clientWidth, canvas.clientHeight));
    state.camera.target = add(state.camera.target, add(mul(right, -dx * scale), mul(up, dy * scale)));
  }
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (event) => { touches.delete(event.pointerId); pinch = 0; });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    state.camera.distance *= Math.exp(0.0012 * event.deltaY);
    requestDraw();
  }, { passive: false });
  chart.addEventListener("pointerdown", (event) => {
    const value = state.result.value, share = (event.offsetX - 52) / (chart.clientWidth - 60);
    state.place = placeOf(value[0] + Math.min(1, Math.max(0, share)) * (value[value.length - 1] - value[0]));
    requestDraw();
  });
  slider.addEventListener("input", () => {
    state.playing = false;
    if (state.result.modes) state.phase = Number(slider.value); else state.place = Number(slider.value);
    requestDraw();
  });
  byId("play").addEventListener("click", togglePlay);
  byId("reset").addEventListener("click", () => { resetView(); requestDraw(); });
  byId("speed").addEventListener("change", (event) => { state.speed = Number(event.target.value); });
  byId("mode").addEventListener("change", (event) => chooseMode(Number(event.target.value)));
  byId("trace").addEventListener("change", (event) => { state.trace = Number(event.target.value); requestDraw(); });
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.code === "Space") { event.preventDefault(); togglePlay(); }
    if (event.key === "r" || event.key === "R") { resetView(); requestDraw(); }
  });
  // A focused button would take the space bar a second time on key up.
  document.addEventListener("keyup", (event) => { if (event.code === "Space" && event.target.tagName === "BUTTON") event.preventDefault(); });
  new ResizeObserver(requestDraw).observe(canvas);

  const words = { Trajectory: "Motion", Equilibrium: "Equilibrium", QuasiStatic: "Quasi-static", LoadPath: "Load path", Modes: "Modes" };
  const counts = {};
  results.forEach((result, k) => {
    const tab = document.createElement("button"), word = words[result.kind] || result.kind;
    counts[word] = (counts[word] || 0) + 1;
    const several = results.filter((other) => other.kind === result.kind).length > 1;
    tab.textContent = several ? word + " " + counts[word] : word;
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => chooseResult(k));
    byId("tabs").appendChild(tab);
  });
  byId("tabs").hidden = results.length < 2;
  chooseResult(0);
})();
