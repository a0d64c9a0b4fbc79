import type { Tool } from '../mcp/define.ts';
import { checkAccess } from './check-access.ts';
import { describeDatasource } from './describe-datasource.ts';
import { listDatasourcesTool } from './list-datasources.ts';
import { listLokiLabels } from './list-loki-labels.ts';
import { listPrometheusLabels } from './list-prometheus-labels.ts';
import { queryLokiLogs } from './query-loki-logs.ts';
import { queryPrometheus } from './query-prometheus.ts';
import { readResourceTool } from './read-resource.ts';
import { searchMetrics } from './search-metrics.ts';
import { summarizeLokiLogs } from './summarize-loki-logs.ts';

/** Every tool, in the order in which tools/list shows them. */
export const TOOLS: readonly Tool[] = [
  listDatasourcesTool,
  describeDatasource,
  queryLokiLogs,
  summarizeLokiLogs,
  listLokiLabels,
  queryPrometheus,
  searchMetrics,
  listPrometheusLabels,
  readResourceTool,
  checkAccess,
];
