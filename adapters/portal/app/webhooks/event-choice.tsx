import { useSignal } from '@preact/signals'
import { faultAt } from '../parts/field.tsx'
import { type EventType, eventTypes, eventWords } from './words.ts'

/** The events that a webhook or a chat channel selects: all of them, or some by name. */
export function EventChoice({
  selected = ['*'],
  error,
}: {
  readonly selected?: readonly string[] | undefined
  readonly error: unknown
}) {
  const all = useSignal(selected.includes('*'))
  const fault = faultAt(error, 'eventTypes')
  return (
    <fieldset aria-invalid={fault !== null} aria-describedby="selection-fault">
      <legend>Events</legend>
      <label>
        <input
          type="radio"
          name="selection"
          value="all"
          checked={all.value}
          onChange={() => {
            all.value = true
          }}
        />{' '}
        All, those of later releases included
      </label>
      <label>
        <input
          type="radio"
          name="selection"
          value="some"
          checked={!all.value}
          onChange={() => {
            all.value = false
          }}
        />{' '}
        These alone
      </label>
      {!all.value && (
        <div class="choices">
          {eventTypes.map((type) => (
            <label key={type}>
              <input
                type="checkbox"
                name="type"
                value={type}
                defaultChecked={selected.includes(type)}
              />{' '}
              {eventWords[type]} <code class="quiet">{type}</code>
            </label>
          ))}
        </div>
      )}
      <p id="selection-fault" class="fault">
        {fault}
      </p>
    </fieldset>
  )
}

/** What was chosen, as the API takes it. */
export function chosenEvents(given: FormData): readonly ('*' | EventType)[] {
  const chosen = new Set(given.getAll('type'))
  return given.get('selection') === 'all' ? ['*'] : eventTypes.filter((type) => chosen.has(type))
}
