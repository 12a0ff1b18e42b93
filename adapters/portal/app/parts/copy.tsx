import { useSignal } from '@preact/signals'

/** Copies a text; `what` names it to who can not see what stands beside the button. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const said = useSignal('')
  const copy = async () => {
    said.value = ''
    try {
      await navigator.clipboard.writeText(text)
      said.value = 'Copied'
    } catch {
      said.value = 'The browser does not permit it: select the text instead'
    }
  }
  return (
    <span class="copy">
      <button type="button" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status" class="quiet">
        {said.value}
      </span>
    </span>
  )
}
