import { z } from 'zod';
import { displayName, emptyFrame, type Frame, seriesFrame } from './frame.ts';

const point = z.tuple([z.number(), z.string()]);
const labels = z.record(z.string(), z.string());
const envelope = z.object({
  data: z.discriminatedUnion('resultType', [
    z.object({
      resultType: z.literal('matrix'),
      result: z.array(z.object({ metric: labels, values: z.array(point) })),
    }),
    z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: labels, value: point })) }),
    z.object({ resultType: z.literal('scalar'), result: point }),
    z.object({ resultType: z.literal('string'), result: point }),
  ]),
  warnings: z.array(z.string()).optional(),
  infos: z.array(z.string()).optional(),
});

export interface PrometheusQuery {
  refId: string;
  expr: string;
  legend: string | undefined;
  stepMs: number;
}

/** Frames of a Prometheus answer, one for each series; one without fields when there is none. */
export function prometheusFrames(body: string, query: PrometheusQuery): Frame[] {
  const { data, warnings = [], infos = [] } = envelope.parse(JSON.parse(body));
  const executedQueryString = `Expr: ${query.expr}\nStep: ${goDuration(query.stepMs)}`;
  const notices = [
    ...warnings.map((text) => ({ severity: 'warning', text })),
    ...infos.map((text) => ({ severity: 'info', text })),
  ];
  const meta = {
    type: data.resultType === 'matrix' ? 'timeseries-multi' : 'numeric-multi',
    typeVersion: data.resultType === 'scalar' ? [0, 0] : [0, 1],
    custom: { resultType: data.resultType },
    ...(notices.length > 0 && { notices }),
    executedQueryString,
  };
  const frames = seriesOf(data).map((series) =>
    seriesFrame(
      query.refId,
      meta,
      {
        name: series.metric.__name__ ?? 'Value',
        labels: series.metric,
        displayName: displayName(series.metric, query.legend, query.expr),
        points: series.values.map(([seconds, text]) => [Math.round(seconds * 1000), text]),
      },
      query.stepMs,
    ),
  );
  return frames.length > 0 ? frames : [emptyFrame(query.refId, executedQueryString)];
}

type Data = z.output<typeof envelope>['data'];
function seriesOf(data: Data): { metric: Record<string, string>; values: [number, string][] }[] {
  if (data.resultType === 'matrix') return data.result;
  if (data.resultType === 'vector') return data.result.map(({ metric, value }) => ({ metric, values: [value] }));
  return [{ metric: {}, values: [data.result] }];
}

/** As Go prints a duration: 15s, 1m0s, 500ms. */
export function goDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const rest = `${minutes % 60}m${Math.round((seconds % 60) * 1000) / 1000}s`;
  return minutes < 60 ? rest : `${Math.floor(minutes / 60)}h${rest}`;
}
