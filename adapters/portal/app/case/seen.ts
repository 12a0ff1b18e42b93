import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Drawn } from './drawn.ts'
import type { Part } from './parts.ts'

/** Which parts of a document were open and in view, from their begin to their end. */
export interface Seen {
  has(part: Part): boolean
  readonly unseen: number
}

const everyMs = 250

/** A part that changed has to be seen again. */
export function useSeen({ parts, contents }: Drawn): Seen {
  const seen = useSignal<ReadonlyMap<string, string>>(new Map())
  const has = ({ id }: Part) => seen.value.has(id) && seen.value.get(id) === contents.get(id)
  const unseen = parts.filter((part) => !has(part)).length
  const begun = useMemo(() => new Set<string>(), [contents])
  useEffect(() => {
    if (unseen === 0) return
    const look = () => {
      const found = partsInView(begun)
      if (found.length > 0)
        seen.value = new Map([
          ...seen.peek(),
          ...found.map((id) => [id, contents.get(id) ?? ''] as const),
        ])
    }
    const timer = setInterval(look, everyMs)
    return () => clearInterval(timer)
  }, [unseen, contents])
  return { has, unseen }
}

/** Where the room for a document begins: below the news of a change, which stays in view. */
export function topOfRoom(): number {
  return Math.max(0, document.querySelector('main > .news')?.getBoundingClientRect().bottom ?? 0)
}

/** Where the room for a document ends: at the form, which lies over what is below it. */
export function bottomOfRoom(): number {
  const form = document.querySelector('.decide')?.getBoundingClientRect()
  return Math.min(window.innerHeight, form ? form.top : Number.POSITIVE_INFINITY)
}

/**
 * Ids of the open parts that were not seen yet, whose end is in view above the form. `begun` keeps those whose begin was:
 * an end to which the page jumped says nothing of what is before it.
 */
function partsInView(begun: Set<string>): readonly string[] {
  if (document.hidden) return []
  const [room, bottom] = [topOfRoom(), bottomOfRoom()]
  return [
    ...document.querySelectorAll<HTMLElement>('[data-part][data-seen="false"][data-open="true"]'),
  ].flatMap((part) => {
    const id = part.dataset.id ?? ''
    const { top } = part.getBoundingClientRect()
    if (top >= room && top < bottom) begun.add(id)
    const end = part.querySelector('.part-end')?.getBoundingClientRect()
    const isEndInView = end !== undefined && end.top >= room && end.bottom <= bottom + 1
    return isEndInView && begun.has(id) ? [id] : []
  })
}
