import { z } from 'zod';
import { displayName, type Frame, seriesFrame, TIME } from './frame.ts';
import { goDuration } from './prometheus-frames.ts';

const labels = z.record(z.string(), z.string());
const point = z.tuple([z.number(), z.string()]);
const envelope = z.object({
  data: z.discriminatedUnion('resultType', [
    z.object({
      resultType: z.literal('streams'),
      result: z.array(
        z.object({ stream: labels, values: z.array(z.tuple([z.string(), z.string()]).rest(z.unknown())) }),
      ),
    }),
    z.object({
      resultType: z.literal('matrix'),
      result: z.array(z.object({ metric: labels, values: z.array(point) })),
    }),
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: labels, value: point })) }),
    z.object({ resultType: z.literal('scalar'), result: point }),
  ]),
});

export interface LokiQuery {
  refId: string;
  expr: string;
  legend: string | undefined;
  /** Undefined for an instant query. */
  stepMs: number | undefined;
}

/** Frames of a Loki answer: one for all streams, or one for each series. */
export function lokiFrames(body: string, query: LokiQuery): Frame[] {
  const { data } = envelope.parse(JSON.parse(body));
  if (data.resultType === 'streams') return [streamsFrame(data.result, query)];
  const series =
    data.resultType === 'matrix'
      ? data.result
      : data.resultType === 'vector'
        ? data.result.map(({ metric, value }) => ({ metric, values: [value] }))
        : [{ metric: {}, values: [data.result] }];
  const step = query.stepMs === undefined ? '' : `\nStep: ${goDuration(query.stepMs)}`;
  return series.map((own, i) =>
    seriesFrame(
      query.refId,
      {
        type: query.stepMs === undefined ? 'numeric-multi' : 'timeseries-multi',
        typeVersion: [0, 1],
        // The first frame alone carries the statistics.
        ...(i === 0 && { stats: STATS }),
        executedQueryString: `Expr: ${query.expr}${step}`,
      },
      {
        name: 'Value',
        labels: own.metric,
        displayName: displayName(own.metric, query.legend, query.expr),
        points: own.values.map(([seconds, text]) => [Math.round(seconds * 1000), text]),
      },
      query.stepMs,
    ),
  );
}

type Streams = { stream: Record<string, string>; values: [string, string, ...unknown[]][] }[];

/** Rows in Loki's order, stream after stream: not sorted by time. */
function streamsFrame(streams: Streams, query: LokiQuery): Frame {
  const rows = streams.flatMap(({ stream, values }) => values.map(([ns, line]) => ({ stream, ns, line })));
  const field = (name: string, type: string, frame: string) => ({ name, type, typeInfo: { frame } });
  return {
    schema: {
      refId: query.refId,
      meta: {
        typeVersion: [0, 0],
        custom: { frameType: 'LabeledTimeValues' },
        stats: STATS,
        executedQueryString: `Expr: ${query.expr}`,
      },
      fields: [
        field('labels', 'other', 'json.RawMessage'),
        TIME,
        field('Line', 'string', 'string'),
        field('tsNs', 'string', 'string'),
        field('id', 'string', 'string'),
      ],
    },
    data: {
      values: [
        rows.map((row) => row.stream),
        rows.map((row) => Number(BigInt(row.ns) / 1_000_000n)),
        rows.map((row) => row.line),
        rows.map((row) => row.ns),
        rows.map((row) => `${row.ns}_${fnv32a(JSON.stringify(row.stream) + row.line)}`),
      ],
      ...(rows.length > 0 && {
        nanos: [null, rows.map((row) => Number(BigInt(row.ns) % 1_000_000n)), null, null, null],
      }),
    },
  };
}

function fnv32a(text: string): string {
  let h = 0x811c9dc5;
  for (const byte of Buffer.from(text)) h = Math.imul(h ^ byte, 0x01000193);
  return (h >>> 0).toString(16);
}

/** Of the sandbox there is nothing to measure: the names are Grafana's, the values 0. */
const STATS = (
  [
    ['Summary: bytes processed per second', 'Bps'],
    ['Summary: lines processed per second'],
    ['Summary: total bytes processed', 'decbytes'],
    ['Summary: total lines processed'],
    ['Summary: exec time', 's'],
    ['Ingester: total reached'],
    ['Ingester: total chunks matched'],
    ['Ingester: total batches'],
    ['Ingester: total lines sent'],
    ['Ingester: head chunk bytes', 'decbytes'],
    ['Ingester: head chunk lines'],
    ['Ingester: decompressed bytes', 'decbytes'],
    ['Ingester: decompressed lines'],
    ['Ingester: compressed bytes', 'decbytes'],
    ['Ingester: total duplicates'],
  ] as const
).map(([displayName, unit]) => ({ displayName, ...(unit && { unit }), value: 0 }));
