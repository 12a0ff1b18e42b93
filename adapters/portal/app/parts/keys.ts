import { useLayoutEffect, useRef } from 'preact/hooks'
import { preferences } from '../preferences.ts'

/** What a key does on a page; the name is `event.key`, letters with Shift as capitals, or two after each other as `g q`. */
export interface KeyAct {
  readonly does: string
  readonly run: (event: KeyboardEvent) => void
}
export type KeyActs = Readonly<Record<string, KeyAct>>

const layers: { readonly current: KeyActs }[] = []
let first = ''
let firstAt = 0
/** Ms within which the second of two keys has to follow. */
const pairMs = 1_500

/** All keys that do something now, those of the page first. */
export function keysNow(): readonly (readonly [key: string, does: string])[] {
  return [...layers]
    .reverse()
    .flatMap(({ current }) =>
      Object.entries(current).map(([key, { does }]) => [key, does] as const),
    )
}

/** Lets keys do something while the component is drawn. */
export function useKeys(acts: KeyActs): void {
  const latest = useRef(acts)
  latest.current = acts
  // Before the first paint, after which keys are pressed.
  useLayoutEffect(() => {
    layers.push(latest)
    if (layers.length === 1) document.addEventListener('keydown', onKey)
    return () => {
      layers.splice(layers.indexOf(latest), 1)
      if (layers.length === 0) document.removeEventListener('keydown', onKey)
    }
  }, [])
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  if (
    !preferences.value.singleKeys ||
    isField(event.target) ||
    document.querySelector('dialog[open]')
  )
    return
  // Enter and the space bar belong to what has the focus.
  if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('a, button'))
    return
  const pair = event.timeStamp - firstAt < pairMs ? `${first} ${event.key}` : ''
  first = event.key
  firstAt = event.timeStamp
  const act = actOf(pair) ?? actOf(event.key)
  if (!act) return
  first = ''
  if (event.key !== 'g') event.preventDefault()
  act.run(event)
}

function actOf(key: string): KeyAct | undefined {
  return layers.findLast(({ current }) => Object.hasOwn(current, key))?.current[key]
}

/** Whether keys write there. */
function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement)
    return !['radio', 'checkbox', 'button'].includes(target.type)
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName)
}
