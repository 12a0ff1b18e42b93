import type { ApplicationAnswer } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Question } from '../parts/question.tsx'
import { stages } from './words.ts'

/** Raises the stage of an application to the next one. */
export function Promotion({
  application: { applicationId, stage },
  again,
}: {
  readonly application: ApplicationAnswer
  readonly again: () => void
}) {
  const writing = useWrite()
  const asked = useSignal(false)
  const next = stages[stages.indexOf(stage) + 1]
  if (!next) return null
  const close = () => {
    asked.value = false
    writing.clear()
  }
  const promote = async () => {
    if (!(await writing.run(() => api.applications.promote({ applicationId, to: next })))) return
    close()
    again()
  }
  return (
    <>
      {' '}
      <button
        type="button"
        onClick={() => {
          asked.value = true
        }}
      >
        Promote to {next}
      </button>
      {asked.value && (
        <Question
          title={`Promote to ${next}?`}
          yes="Promote"
          writing={writing}
          onYes={promote}
          onClose={close}
        >
          <p>An application is never moved back to an earlier stage.</p>
        </Question>
      )}
    </>
  )
}
