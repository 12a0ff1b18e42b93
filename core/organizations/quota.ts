/** The counter of the sessions that a tenant's quota counts in the UTC month of a time. */
export function quotaCounter(tenantId: string, at: number): string {
  return `sessions ${tenantId} ${new Date(at).toISOString().slice(0, 7)}`
}
