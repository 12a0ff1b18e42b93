/** Each item as something else, one at a time. */
export async function* mapped<T, R>(
  items: AsyncIterable<T>,
  tell: (item: T) => R,
): AsyncGenerator<R, void, undefined> {
  for await (const item of items) yield tell(item)
}

/** What each item holds, one after another. */
export async function* flat<T, R>(
  items: AsyncIterable<T>,
  tell: (item: T) => Iterable<R> | AsyncIterable<R>,
): AsyncGenerator<R, void, undefined> {
  for await (const item of items) yield* tell(item)
}

/** Items in groups of at most so many. */
export async function* grouped<T>(
  items: AsyncIterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let group: T[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
