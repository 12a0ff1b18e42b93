import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** A dialog over the page, open while it is drawn; focus goes to its heading, and back to where it was when it closes. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  /** Called for Escape and the button; absent: it can not be left this way. */
  readonly onClose?: () => void
  readonly children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    heading.current?.focus()
    return () => {
      // Removed and not closed, it tells nobody by itself that something else is in front now.
      document.dispatchEvent(new Event('close'))
      // What opened it may be gone by now, such as a form that was sent.
      const next = opener?.isConnected ? opener : document.querySelector('h1')
      if (next instanceof HTMLElement) next.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClose={() => {
        // A browser closes it at a second Escape without asking.
        if (onClose) onClose()
        else dialog.current?.showModal()
      }}
    >
      <div class="page-head">
        <h2 id={id} tabIndex={-1} ref={heading}>
          {title}
        </h2>
        {onClose && (
          <button type="button" onClick={onClose}>
            Close
          </button>
        )}
      </div>
      {children}
    </dialog>
  )
}
