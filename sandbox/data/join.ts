import type { Labels, LogStore } from './store.ts';

/** Several stores as one. Their streams must differ. */
export function joinLogStores(stores: readonly LogStore[]): LogStore {
  return {
    streams: (start, end) => stores.flatMap((store) => store.streams(start, end)),
    select: (match, start, end) => stores.flatMap((store) => store.select(match, start, end)),
  };
}

/** Only the streams that `keep` lets through. */
export function filterLogStore(store: LogStore, keep: (labels: Labels) => boolean): LogStore {
  return {
    streams: (start, end) => store.streams(start, end).filter(keep),
    select: (match, start, end) => store.select((labels) => keep(labels) && match(labels), start, end),
  };
}
