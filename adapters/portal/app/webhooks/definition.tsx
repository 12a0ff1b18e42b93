import type { WebhookAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { Field, faultAt } from '../parts/field.tsx'
import { type EventType, eventTypes, eventWords } from './words.ts'

/** The fields of a webhook that can be changed: where it sends, what, and what it is for. */
export function Definition({
  webhook,
  error,
}: {
  readonly webhook?: WebhookAnswer
  readonly error: unknown
}) {
  const selected = new Set<string>(webhook?.eventTypes ?? ['*'])
  const all = useSignal(selected.has('*'))
  const fault = faultAt(error, 'eventTypes')
  return (
    <>
      <Field
        label="Address"
        name="url"
        type="url"
        required
        placeholder="https://"
        value={webhook?.url}
        hint="An https address that the service can reach and that answers with 2xx within 10 s."
        error={error}
      />
      <Field
        label="What it is for (optional)"
        name="description"
        value={webhook?.description ?? ''}
        error={error}
      />
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
                  defaultChecked={selected.has(type)}
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
    </>
  )
}

/** What was entered, as the API takes it. */
export function definitionOf(given: FormData): {
  readonly url: string
  readonly description: string | null
  readonly eventTypes: readonly ('*' | EventType)[]
} {
  const chosen = new Set(given.getAll('type'))
  return {
    url: textOf(given, 'url'),
    description: textOf(given, 'description') || null,
    eventTypes:
      given.get('selection') === 'all' ? ['*'] : eventTypes.filter((type) => chosen.has(type)),
  }
}

function textOf(given: FormData, name: string): string {
  return String(given.get(name) ?? '').trim()
}
