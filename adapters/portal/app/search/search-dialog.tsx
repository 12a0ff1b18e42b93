import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { plainLine } from '../case/safe-text.ts'
import { decisionOf } from '../case/words.ts'
import { api } from '../client/api.ts'
import { memberPages, withRight } from '../pages.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { to } from '../paths.ts'
import { mayBeSession, type Place, placesFor } from './places.ts'

/** Ms after the last key until the service is asked. */
const pauseMs = 250
/** Cases of a session, or of what was typed, that are offered. */
const mostCases = 8
/** Letters that cases are looked for by, at least. */
const leastLetters = 3
/** Open cases among which tools and titles are looked for: texts are sealed, and no index has them. */
const readOfQueue = 100

const mayRead = withRight('Review Cases')
const isShown = ({ label, shown }: (typeof memberPages)[number]) =>
  label !== undefined && (shown?.() ?? true)

/**
 * Leads to pages by name, to what has an id, to the cases of a session, and to open cases by tool or title. Enter takes
 * the first.
 */
export default function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const text = useSignal('')
  const cases = useSignal<readonly Place[]>([])
  const box = useRef<HTMLFormElement>(null)
  const places = [...placesFor(text.value, memberPages.filter(isShown)), ...cases.value]

  // After that of the dialog, which puts the focus on its heading.
  useLayoutEffect(() => box.current?.querySelector('input')?.focus(), [])
  useEffect(() => {
    cases.value = []
    const asked = text.value.trim()
    if (asked.length < leastLetters || !mayRead()) return
    const ended = new AbortController()
    const timer = setTimeout(async () => {
      const found = await Promise.all([
        mayBeSession(asked) ? casesOf(asked, ended.signal) : [],
        waitingCases(asked, ended.signal),
      ])
      if (!ended.signal.aborted) cases.value = distinct(found.flat())
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [text.value])

  const go = (place: Place | undefined) => {
    if (!place) return
    onClose()
    route(to(place.path))
  }
  /** The arrows go through the field and the places below it. */
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('input, a') ?? [])]
    const at = stops.indexOf(document.activeElement as HTMLElement)
    stops[(at + by + stops.length) % stops.length]?.focus()
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        ref={box}
        onKeyDown={step}
        onSubmit={(event) => {
          event.preventDefault()
          go(places[0])
        }}
      >
        <Field
          label="A page, an id of anything, or the tool or title of an open case"
          name="text"
          autoComplete="off"
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget: { value } }) => {
            text.value = value
          }}
        />
        <p role="status" class="quiet">
          {places.length === 0 ? 'Nothing here has this name.' : `${places.length} found`}
        </p>
        <ul class="places">
          {places.map((place) => (
            <li key={place.path}>
              <a
                href={to(place.path)}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return
                  event.preventDefault()
                  go(place)
                }}
              >
                {place.name}
              </a>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  )
}

/** The newest cases of a session; none where they can not be read. */
async function casesOf(sessionId: string, signal: AbortSignal): Promise<readonly Place[]> {
  try {
    const asked = { sessionId, pageSize: mostCases }
    const { reviewCases } = await api.reviewCases.list(asked, { signal })
    return reviewCases.map(({ reviewCaseId, checkpoint, state, decision }) => ({
      name: `Case ${plainLine(checkpoint.checkpointId, 80)}, ${state === 'open' ? 'open' : decisionOf(decision ?? state).toLowerCase()}`,
      path: `/cases/${encodeURIComponent(reviewCaseId)}`,
    }))
  } catch {
    return []
  }
}

/** Of the open cases that are due first those whose tool or title has a text; none where they can not be read. */
async function waitingCases(text: string, signal: AbortSignal): Promise<readonly Place[]> {
  const words = text.toLowerCase()
  try {
    const { queue } = await api.portal.listQueue({ pageSize: readOfQueue }, { signal })
    return queue
      .filter(({ tool, title }) => `${tool ?? ''}\n${title ?? ''}`.toLowerCase().includes(words))
      .slice(0, mostCases)
      .map(({ reviewCaseId, tool, title }) => ({
        name: `Open case ${[...new Set([title, tool])]
          .flatMap((each) => each ?? [])
          .map((each) => plainLine(each, 80))
          .join(', ')}`,
        path: `/cases/${encodeURIComponent(reviewCaseId)}`,
      }))
  } catch {
    return []
  }
}

/** One for each path, the first. */
const distinct = (places: readonly Place[]) =>
  places.filter((place, at) => places.findIndex(({ path }) => path === place.path) === at)
