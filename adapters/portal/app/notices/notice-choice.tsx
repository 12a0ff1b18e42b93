import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Tick } from '../parts/field.tsx'
import { prefer, preferences } from '../preferences.ts'
import { canNotify } from './notify.ts'

const hint =
  'While none of these pages can be seen, the browser tells how many cases wait, nothing of what they are. A page has to stay open.'
const refused = 'The browser does not permit it; its settings of this site can.'

/** Whether the browser tells of cases that wait. */
export function NoticeChoice() {
  const said = useSignal('')
  const box = useRef<HTMLDivElement>(null)
  if (!canNotify()) return <p class="quiet">This browser can not tell of cases that wait.</p>
  const choose = async (ticked: boolean) => {
    said.value = ''
    const notifies = ticked && (await Notification.requestPermission()) === 'granted'
    prefer({ notifies })
    if (ticked === notifies) return
    said.value = refused
    const input = box.current?.querySelector('input')
    if (input) input.checked = false
  }
  return (
    <div ref={box}>
      <Tick
        label="Tell me of cases that wait"
        name="notifies"
        ticked={preferences.value.notifies && Notification.permission === 'granted'}
        hint={hint}
        onTick={(ticked) => void choose(ticked)}
      />
      <p role="status">{said.value}</p>
    </div>
  )
}
