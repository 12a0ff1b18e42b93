import type { ComponentChildren } from 'preact'
import type { Writing } from '../client/use-write.ts'
import { Act } from './act.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'

/** Asks before something is done. Nothing but its own button does it, which never has the focus first. */
export function Question({
  title,
  yes,
  writing,
  onYes,
  onClose,
  children,
}: {
  readonly title: string
  /** What the button says that does it. */
  readonly yes: string
  readonly writing: Writing
  readonly onYes: () => unknown
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Failure error={writing.error.value} />
      {children}
      <div class="acts">
        <Act writing={writing} onPress={onYes} primary>
          {yes}
        </Act>
      </div>
    </Dialog>
  )
}
