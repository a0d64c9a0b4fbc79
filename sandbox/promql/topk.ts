import { insertionSorted } from './numbers.ts';
import { STALE, type StepSeries } from './values.ts';

/**
 * Indexes of the k largest (or smallest) members at step `i`, best first, NaN last. A heap with the worst on top, fed
 * in order: something better pops the worst and is pushed. So ties fall as in Prometheus.
 */
export function selectBest(members: readonly StepSeries[], i: number, k: number, largest: boolean): number[] {
  if (k < 1) return [];
  const at = (index: number): number => members[index]?.values[i] ?? STALE;
  const worse = (a: number, b: number): boolean => {
    if (Number.isNaN(at(a))) return true;
    return largest ? at(a) < at(b) : at(a) > at(b);
  };
  const heap: number[] = [];
  for (let index = 0; index < members.length; index++) {
    if (at(index) === STALE) continue;
    const top = heap[0];
    if (heap.length >= k && top !== undefined) {
      if (!beats(at(index), at(top), largest)) continue;
      pop(heap, worse);
    }
    heap.push(index);
    siftUp(heap, worse);
  }
  return insertionSorted(heap, (a, b) => worse(b, a));
}

/** The last item takes the place of the first and sinks. */
function pop(heap: number[], less: (a: number, b: number) => boolean): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  siftDown(heap, less);
}

/** Anything replaces a NaN, another NaN as well. */
function beats(value: number, worst: number, largest: boolean): boolean {
  return Number.isNaN(worst) || (largest ? worst < value : worst > value);
}

function siftUp(heap: number[], less: (a: number, b: number) => boolean): void {
  for (let child = heap.length - 1; child > 0; ) {
    const parent = (child - 1) >> 1;
    if (!swapIfLess(heap, child, parent, less)) return;
    child = parent;
  }
}

function siftDown(heap: number[], less: (a: number, b: number) => boolean): void {
  for (let parent = 0; ; ) {
    let child = 2 * parent + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (left === undefined) return;
    if (right !== undefined && less(right, left)) child++;
    if (!swapIfLess(heap, child, parent, less)) return;
    parent = child;
  }
}

function swapIfLess(heap: number[], i: number, j: number, less: (a: number, b: number) => boolean): boolean {
  const [a, b] = [heap[i], heap[j]];
  if (a === undefined || b === undefined || !less(a, b)) return false;
  heap[i] = b;
  heap[j] = a;
  return true;
}
