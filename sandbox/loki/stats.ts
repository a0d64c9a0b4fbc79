/** `data.stats` of a query: Loki's keys, the figures that a client may show; times are a fixed small number, so that answers repeat. */
export function queryStats(scanned: { lines: number; bytes: number }, returned: number): Record<string, unknown> {
  const seconds = 0.004;
  return {
    summary: {
      bytesProcessedPerSecond: Math.round(scanned.bytes / seconds),
      linesProcessedPerSecond: Math.round(scanned.lines / seconds),
      totalBytesProcessed: scanned.bytes,
      totalLinesProcessed: scanned.lines,
      execTime: seconds,
      queueTime: 0.0001,
      subqueries: 0,
      totalEntriesReturned: returned,
      splits: 1,
      shards: 1,
      totalPostFilterLines: returned,
      totalStructuredMetadataBytesProcessed: 0,
    },
    querier: { store: { totalChunksRef: 0, totalChunksDownloaded: 0, chunksDownloadTime: 0, chunk: chunk(0, 0) } },
    ingester: {
      totalReached: 1,
      totalChunksMatched: 1,
      totalBatches: 1,
      totalLinesSent: returned,
      store: {
        totalChunksRef: 0,
        totalChunksDownloaded: 0,
        chunksDownloadTime: 0,
        chunk: chunk(scanned.lines, scanned.bytes),
      },
    },
    cache: {},
    index: {},
  };
}

function chunk(lines: number, bytes: number): Record<string, number> {
  return {
    headChunkBytes: bytes,
    headChunkLines: lines,
    decompressedBytes: 0,
    decompressedLines: 0,
    compressedBytes: 0,
    totalDuplicates: 0,
    postFilterLines: 0,
  };
}
