import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { useKeys } from '../parts/keys.ts'

type SearchDialog = ComponentType<{ readonly onClose: () => void }>

/** A button, and Ctrl+K or ⌘K anywhere, for the dialog that leads to pages and to what has an id. */
export function Search() {
  // Loaded when it is asked for first.
  const dialog = useSignal<{ readonly of: SearchDialog } | null>(null)
  const open = async () => {
    const { SearchDialog } = await import('./search-dialog.tsx')
    if (!document.querySelector('dialog[open]')) dialog.value = { of: SearchDialog }
  }
  // For the list of keys: no single key has this name.
  useKeys({ 'Ctrl+K': { does: 'go to a page, or what has an id', run: () => void open() } })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isAsked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      if (!isAsked || event.key.toLowerCase() !== 'k' || event.repeat) return
      event.preventDefault()
      void open()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const Shown = dialog.value?.of
  return (
    <>
      <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => void open()}>
        Go to
      </button>
      {Shown && (
        <Shown
          onClose={() => {
            dialog.value = null
          }}
        />
      )}
    </>
  )
}
