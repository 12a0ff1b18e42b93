/** The cases of the queue in the order in which they were drawn last. */
let order: readonly string[] = []

export function keepOrder(reviewCaseIds: readonly string[]): void {
  order = reviewCaseIds
}

/** The case after or before one in the queue; undefined at its ends, and before the queue was seen. */
export function neighbourOf(reviewCaseId: string, by: 1 | -1): string | undefined {
  const at = order.indexOf(reviewCaseId)
  return at < 0 ? undefined : order[at + by]
}
