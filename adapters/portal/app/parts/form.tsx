import type { ComponentChildren } from 'preact'
import type { Writing } from '../client/use-write.ts'
import { Failure } from './failure.tsx'

/** What was entered into a form, by the names of its fields. */
export type Entered = (name: string) => string

/** A form that is sent by its button or Enter, and tells above its fields how that failed. */
export function Form({
  writing,
  onSend,
  send,
  clears = false,
  children,
}: {
  readonly writing: Writing
  /** `given` is for fields with several values of one name. */
  readonly onSend: (entered: Entered, given: FormData) => Promise<unknown>
  /** What its button says. */
  readonly send: string
  /** Whether its fields are emptied once it was sent, as they hold what nobody else may read. */
  readonly clears?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <form
      class="narrow"
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const given = new FormData(form)
        void onSend((name) => String(given.get(name) ?? ''), given)
        if (clears) form.reset()
      }}
    >
      <Failure error={writing.error.value} />
      {children}
      <button type="submit" class="primary" aria-disabled={writing.running.value}>
        {send}
      </button>
    </form>
  )
}
