import { Copy } from './copy.tsx'
import { Dialog } from './dialog.tsx'

/** A secret that is shown once. Only this dialog has it: who draws it forgets the secret in `onClose`. */
export function ShownOnce({
  title,
  secret,
  use,
  onClose,
}: {
  readonly title: string
  readonly secret: string
  /** What it is for. */
  readonly use: string
  readonly onClose: () => void
}) {
  return (
    <Dialog title={title}>
      <p>
        {use} It is shown now and never again; the service can not find it out later. Store it where
        secrets belong.
      </p>
      <p class="secret">
        <code>{secret}</code> <Copy text={secret} what="the secret" />
      </p>
      <div class="acts">
        <button type="button" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  )
}
