import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { to } from '../paths.ts'
import { prefer, preferences } from '../preferences.ts'
import { Dialog } from './dialog.tsx'
import { keysNow, useKeys } from './keys.ts'

/** The keys of every page, and a dialog that names those of the page at hand. */
export function KeysHelp() {
  const isOpen = useSignal(false)
  const { route } = useLocation()
  useKeys({
    '?': {
      does: 'show the keyboard shortcuts',
      run: () => {
        isOpen.value = true
      },
    },
    'g q': { does: 'go to the queue', run: () => route(to('/queue')) },
    'g w': { does: 'go to the webhooks', run: () => route(to('/webhooks')) },
    'g o': { does: 'go to the overview', run: () => route(to('/')) },
  })
  const close = () => {
    isOpen.value = false
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        Shortcuts
      </button>
      {isOpen.value && (
        <Dialog title="Keyboard shortcuts of this page" onClose={close}>
          <dl class="keys">
            {keysNow().map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <label>
            <input
              type="checkbox"
              checked={preferences.value.singleKeys}
              onChange={(event) => prefer({ singleKeys: event.currentTarget.checked })}
            />{' '}
            Single keys do something on all pages
          </label>
        </Dialog>
      )}
    </>
  )
}
