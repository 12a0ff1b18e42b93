import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Drawn } from './drawn.ts'
import type { Part } from './parts.ts'

/** Which parts of a document were open, and their end in view or they in focus. */
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
  useEffect(() => {
    if (unseen === 0) return
    const look = () => {
      const found = partsInView()
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

/** Ids of the open parts that were not seen yet, whose end is in view above the form, or which have the focus. */
function partsInView(): readonly string[] {
  if (document.hidden) return []
  const form = document.querySelector('.decide')?.getBoundingClientRect()
  const bottom = Math.min(window.innerHeight, form ? form.top : Number.POSITIVE_INFINITY)
  return [
    ...document.querySelectorAll<HTMLElement>('[data-part][data-seen="false"][data-open="true"]'),
  ]
    .filter((part) => {
      const end = part.querySelector('.part-end')?.getBoundingClientRect()
      const isInView = end !== undefined && end.top >= 0 && end.bottom <= bottom + 1
      return isInView || part === document.activeElement
    })
    .flatMap(({ dataset }) => dataset.id ?? [])
}
