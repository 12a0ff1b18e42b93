import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { useKeys } from '../parts/keys.ts'
import { later } from '../parts/later.tsx'

const SearchDialog = later(() => import('./search-dialog.tsx'))

/** A button, and Ctrl+K or ⌘K anywhere, for the dialog that leads to pages and to what has an id. */
export function Search() {
  const isOpen = useSignal(false)
  const open = () => {
    if (!document.querySelector('dialog[open]')) isOpen.value = true
  }
  // For the list of keys: no single key has this name.
  useKeys({ 'Ctrl+K': { does: 'go to a page, or what has an id', run: open } })
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isAsked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      if (!isAsked || event.key.toLowerCase() !== 'k' || event.repeat) return
      event.preventDefault()
      open()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        Go to
      </button>
      {isOpen.value && (
        <SearchDialog
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </>
  )
}
