import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useWrite } from '../client/use-write.ts'
import { Question } from './question.tsx'

/** A button that asks in a dialog before it acts; `then` hears of an act that was done, once the dialog is closed. */
export function AskingButton<T>({
  children,
  label,
  title,
  act,
  run,
  then,
  means,
}: {
  /** What the button says. */
  readonly children: ComponentChildren
  /** What it says to who does not see its row. */
  readonly label?: string
  readonly title: string
  /** What the button of the dialog says. */
  readonly act: string
  readonly run: () => Promise<T>
  readonly then: (answer: T) => void
  /** What the act means. */
  readonly means: ComponentChildren
}) {
  const isOpen = useSignal(false)
  const writing = useWrite()
  const close = () => {
    isOpen.value = false
    writing.clear()
  }
  const go = async () => {
    const answer = await writing.run(run)
    if (answer === undefined) return
    close()
    then(answer)
  }
  return (
    <>
      <button
        type="button"
        aria-label={label}
        onClick={() => {
          isOpen.value = true
        }}
      >
        {children}
      </button>
      {isOpen.value && (
        <Question title={title} yes={act} writing={writing} onYes={go} onClose={close}>
          {means}
        </Question>
      )}
    </>
  )
}
