import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Reading } from '../client/use-read.ts'
import { Dialog } from './dialog.tsx'
import { Shown } from './page.tsx'
import { Section } from './section.tsx'

/** A setting under a heading of its own: what it is now, and the dialog in which who may changes it. */
export function Setting<T>({
  id,
  title,
  asks = title,
  change,
  mayChange,
  read,
  saved = 'It is saved.',
  form,
  children,
}: {
  readonly id: string
  readonly title: string
  /** The heading of the dialog. */
  readonly asks?: string
  /** What the button says that opens the dialog. */
  readonly change: string
  readonly mayChange: boolean
  readonly read: Reading<T>
  /** What is said once it was changed. */
  readonly saved?: string
  /** The form of the dialog, over what was read before; it calls `onDone` when it was saved. */
  readonly form: (before: T, onDone: () => void) => ComponentChildren
  readonly children: (now: T) => ComponentChildren
}) {
  const isOpen = useSignal(false)
  const news = useSignal('')
  const found = read.data.value
  const open = () => {
    news.value = ''
    isOpen.value = true
  }
  const close = () => {
    isOpen.value = false
  }
  const done = () => {
    close()
    news.value = saved
    read.again()
  }
  return (
    <Section
      id={id}
      title={title}
      act={mayChange && found !== null && { label: change, onPress: open }}
    >
      <p role="status">{news.value}</p>
      <Shown of={read}>{children}</Shown>
      {isOpen.value && found !== null && (
        <Dialog title={asks} onClose={close}>
          {form(found, done)}
        </Dialog>
      )}
    </Section>
  )
}
