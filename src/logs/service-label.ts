/** Labels that name services, the telling ones first: Loki's own discovery order, shortened. */
const SERVICE_LABELS = ['service_name', 'service', 'app', 'application', 'app_name', 'job', 'container'];

/** The label that names services among these; undefined when none does. */
export function serviceLabel(names: readonly string[]): string | undefined {
  return SERVICE_LABELS.find((name) => names.includes(name));
}
