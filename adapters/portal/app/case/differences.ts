import { isObject } from './parts.ts'

/** How a value came out of another. */
export type Difference =
  | { readonly kind: 'same'; readonly name: Name; readonly value: unknown }
  | { readonly kind: 'removed'; readonly name: Name; readonly value: unknown }
  | { readonly kind: 'added'; readonly name: Name; readonly value: unknown }
  | {
      readonly kind: 'changed'
      readonly name: Name
      readonly before: unknown
      readonly after: unknown
    }
  | {
      readonly kind: 'inside'
      readonly name: Name
      readonly of: 'object' | 'list'
      /** The items of a list are the same, in another order. */
      readonly reordered: boolean
      readonly members: readonly Difference[]
    }

type Name = string | number | null

/** Cells of the table by which two lists are compared; longer ones are told as one that went and one that came. */
const mostCells = 1_000_000

/** Compares two values: members of objects by name, items of lists by their longest common subsequence. */
export function differenceOf(before: unknown, after: unknown, name: Name = null): Difference {
  if (before === after) return { kind: 'same', name, value: after }
  if (isObject(before) && isObject(after)) {
    const members = membersOf(before, after)
    return members.every(({ kind }) => kind === 'same')
      ? { kind: 'same', name, value: after }
      : { kind: 'inside', name, of: 'object', reordered: false, members }
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const left = before.map(keyOf)
    const right = after.map(keyOf)
    const members = itemsOf(before, after, left, right)
    return members.every(({ kind }) => kind === 'same')
      ? { kind: 'same', name, value: after }
      : { kind: 'inside', name, of: 'list', reordered: isSameBag(left, right), members }
  }
  return { kind: 'changed', name, before, after }
}

type Json = Readonly<Record<string, unknown>>

function membersOf(before: Json, after: Json): readonly Difference[] {
  const kept = Object.keys(before).map(
    (name): Difference =>
      Object.hasOwn(after, name)
        ? differenceOf(before[name], after[name], name)
        : { kind: 'removed', name, value: before[name] },
  )
  const added = Object.keys(after)
    .filter((name) => !Object.hasOwn(before, name))
    .map((name): Difference => ({ kind: 'added', name, value: after[name] }))
  return [...kept, ...added]
}

function itemsOf(
  before: readonly unknown[],
  after: readonly unknown[],
  left: readonly string[],
  right: readonly string[],
): readonly Difference[] {
  let start = 0
  while (start < left.length && start < right.length && left[start] === right[start]) start++
  let end = 0
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  )
    end++
  const differences: Difference[] = []
  const same = (place: number) =>
    differences.push({ kind: 'same', name: place, value: after[place] })
  for (let place = 0; place < start; place++) same(place)
  let [removed, added] = [start, start]
  const pairs = commonOf(
    left.slice(start, left.length - end),
    right.slice(start, right.length - end),
  )
  for (const [a, b] of [
    ...pairs,
    [left.length - end - start, right.length - end - start] as const,
  ]) {
    // What went and what came at one place, and has members of its own, is one item that changed.
    while (removed < start + a || added < start + b) {
      const [was, is] = [before[removed], after[added]]
      const both = removed < start + a && added < start + b
      if (both && hasMembers(was, is)) differences.push(differenceOf(was, is, added))
      else {
        if (removed < start + a)
          differences.push({ kind: 'removed', name: removed, value: before[removed] })
        if (added < start + b) differences.push({ kind: 'added', name: added, value: is })
      }
      removed = Math.min(removed + 1, start + a)
      added = Math.min(added + 1, start + b)
    }
    if (added < right.length - end && removed < left.length - end) {
      same(added)
      removed++
      added++
    }
  }
  for (let place = right.length - end; place < right.length; place++) same(place)
  return differences
}

function hasMembers(one: unknown, other: unknown): boolean {
  return (isObject(one) && isObject(other)) || (Array.isArray(one) && Array.isArray(other))
}

/** Places of a longest common subsequence, in both lists. */
function commonOf(
  left: readonly string[],
  right: readonly string[],
): readonly (readonly [number, number])[] {
  const width = right.length + 1
  if ((left.length + 1) * width > mostCells) return []
  const longest = new Uint32Array((left.length + 1) * width)
  const at = (a: number, b: number) => longest[a * width + b] ?? 0
  for (let a = left.length - 1; a >= 0; a--)
    for (let b = right.length - 1; b >= 0; b--)
      longest[a * width + b] =
        left[a] === right[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1))
  const pairs: (readonly [number, number])[] = []
  let [a, b] = [0, 0]
  while (a < left.length && b < right.length) {
    if (left[a] === right[b]) pairs.push([a++, b++])
    else if (at(a + 1, b) >= at(a, b + 1)) a++
    else b++
  }
  return pairs
}

/** The same for values that are equal, whatever the order of their members. */
function keyOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

function isSameBag(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false
  const sorted = [...right].sort()
  return [...left].sort().every((key, place) => key === sorted[place])
}

/** Whether a text is compared word by word. */
export function isLongText(before: unknown, after: unknown): boolean {
  return (
    typeof before === 'string' &&
    typeof after === 'string' &&
    Math.max(before.length, after.length) > 80
  )
}
