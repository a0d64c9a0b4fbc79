const FRAME = /^\s*(?:at\s+\S|File "[^"]*", line \d+|\S+\.go:\d+|\s+from \S+:\d+)/;
const JAVA = /^\s*at\s+(?:[\w.$]+\/)*([\w.$<>]+)\(([^)]*)\)/;
const NODE = /^\s*at\s+(?:async\s+)?(.+?)\s+\(?(?:file:\/\/)?[^()\s]*?([^/\\()\s]+:\d+)(?::\d+)?\)?$/;
const PYTHON = /^\s*File "([^"]*)", line (\d+)(?:, in (.+))?/;
const MORE = /^\s*\.\.\. \d+ (?:more|common frames omitted)/;
const CAUSE = /^\s*(?:Caused by:|Suppressed:|During handling of the above exception|The above exception was)/;
const FIRST_FRAMES = 2;
const OTHER_LINES = 8;

/**
 * A text of several lines with its stack traces folded: the first frames of each part, every `Caused by`, other lines
 * up to eight; how many frames and lines were folded stands at the end.
 */
export function foldTrace(text: string): string[] {
  const lines = text.split(/\r?\n/);
  while (lines.length > 1 && lines.at(-1)?.trim() === '') lines.pop();
  if (lines.length === 1) return lines;
  const out: string[] = [];
  let frames: string[] = [];
  let [foldedFrames, foldedLines, others, seenFrame] = [0, 0, 0, false];
  const flush = () => {
    const last = out.length - 1;
    // Python prints the innermost frame last, the others first.
    const python = frames.some((frame) => PYTHON.test(frame));
    const shown = (python ? frames.slice(-FIRST_FRAMES).reverse() : frames.slice(0, FIRST_FRAMES)).map(frameName);
    if (shown.length > 0 && last >= 0) out[last] += ` (${shown.join(' ← ')})`;
    foldedFrames += Math.max(0, frames.length - FIRST_FRAMES);
    frames = [];
  };
  for (const [i, line] of lines.entries()) {
    if (FRAME.test(line)) {
      frames.push(line);
      seenFrame = true;
    } else if (MORE.test(line)) {
      foldedFrames += Number(/\d+/.exec(line)?.[0] ?? 0);
    } else if (seenFrame && PYTHON.test(frames.at(-1) ?? '') && /^\s{4,}\S/.test(line)) {
      // The source text under a Python frame.
    } else if (i === 0 || CAUSE.test(line)) {
      flush();
      out.push(i === 0 ? line.trimEnd() : line.trim().replace(/^Caused by:/, 'caused by'));
    } else if (line.trim() !== '') {
      flush();
      if (++others <= OTHER_LINES) out.push(line.trimEnd());
      else foldedLines++;
    }
  }
  flush();
  const folded = [
    ...(foldedFrames > 0 ? [`${foldedFrames} ${foldedFrames === 1 ? 'frame' : 'frames'}`] : []),
    ...(foldedLines > 0 ? [`${foldedLines} ${foldedLines === 1 ? 'line' : 'lines'}`] : []),
  ];
  if (folded.length > 0) out[out.length - 1] += `   [${folded.join(', ')} folded]`;
  return out;
}

/** `Inventory.reserve:41`: class, method and line; the package is left to `detail: "raw"`. */
function frameName(frame: string): string {
  const java = JAVA.exec(frame);
  if (java) {
    const line = /:(\d+)$/.exec(java[2] ?? '')?.[1];
    const name = (java[1] ?? '').split('.').slice(-2).join('.');
    return line === undefined ? name : `${name}:${line}`;
  }
  const python = PYTHON.exec(frame);
  if (python) return `${python[3] ?? ''} ${python[1]?.split('/').at(-1)}:${python[2]}`.trim();
  const node = NODE.exec(frame);
  return node ? `${node[1]} ${node[2]}` : frame.trim();
}
