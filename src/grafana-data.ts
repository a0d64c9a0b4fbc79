import './navigator.ts';
import { dateMath, formattedValueToString, getValueFormat } from '@grafana/data';

// The one module that imports @grafana/data. The package is large and runs only bundled, so the rest of the code
// reaches it lazily: `const { getValueFormat } = await import('../grafana-data.ts')`.
export { dateMath, formattedValueToString, getValueFormat };
