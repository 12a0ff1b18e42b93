import type { WebhookAnswer } from '@countersign/client'
import { Field } from '../parts/field.tsx'
import { chosenEvents, EventChoice } from './event-choice.tsx'
import type { EventType } from './words.ts'

/** The fields of a webhook that can be changed: where it sends, what, and what it is for. */
export function Definition({
  webhook,
  error,
}: {
  readonly webhook?: WebhookAnswer
  readonly error: unknown
}) {
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
      <EventChoice selected={webhook?.eventTypes} error={error} />
    </>
  )
}

/** What was entered, as the API takes it. */
export function definitionOf(given: FormData): {
  readonly url: string
  readonly description: string | null
  readonly eventTypes: readonly ('*' | EventType)[]
} {
  return {
    url: textOf(given, 'url'),
    description: textOf(given, 'description') || null,
    eventTypes: chosenEvents(given),
  }
}

function textOf(given: FormData, name: string): string {
  return String(given.get(name) ?? '').trim()
}
