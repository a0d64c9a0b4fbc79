/** A window of a call: ns since epoch, start inclusive. */
export interface Window {
  start: bigint;
  end: bigint;
  /** True when neither start nor end was given, so the answer can say that it is a default. */
  defaulted: boolean;
  /** The call's now (ms); lets the answer leave the day out when it is today. */
  now?: number;
}
