type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Leaves out members that are undefined: to the core an absent member and an undefined one differ. */
export function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, held]) => held !== undefined),
  ) as Defined<T>
}
