import type { Finding, FindingResult } from '@countersign/core/evidence'
import type { FileReport } from '../verify/report.ts'
import { element, foreign } from './elements.ts'
import { countWords, resultWords, verdictWords, witnessWords } from './words.ts'

/** Findings of one kind that are drawn at once; more come on demand. */
const shownAtOnce = 50

const order = ['failed', 'unchecked', 'noted', 'verified'] as const satisfies FindingResult[]

/** What was found of a file, the first wrong thing first. */
export function reportView(report: FileReport): HTMLElement {
  const { verdict, witness, firstFailure, findings } = report
  const { title, meaning } = verdictWords[verdict]
  const behind = verdict === 'verified' ? ` ${witnessWords[witness]}` : ''
  const groups = order.flatMap((result) => {
    const all = findings.filter((finding) => finding.result === result)
    return all.length === 0 ? [] : [groupView(result, all)]
  })
  return element(
    'article',
    { class: verdict },
    heading(report.file),
    element('p', { class: 'verdict' }, element('strong', {}, title), ` ${meaning}${behind}`),
    ...(firstFailure === null
      ? []
      : [element('p', { class: 'first' }, 'First thing wrong: ', ...sentenceOf(firstFailure))]),
    ...groups,
    saveButton(report),
  )
}

/** A file that could not be read; `why` is the runtime's own message. */
export function unreadableView(file: string, why: string): HTMLElement {
  return element(
    'article',
    { class: 'failed' },
    heading(file),
    element('p', { class: 'verdict' }, element('strong', {}, 'Not read.'), ' ', foreign(why)),
  )
}

function heading(file: string): HTMLElement {
  return element('h2', {}, foreign(file))
}

function groupView(result: FindingResult, all: readonly Finding[]): HTMLElement {
  const list = element('ul', {})
  const title = `${resultWords[result]}: ${countWords(all.length)}`
  const group = element(
    'details',
    { class: `group ${result}` },
    element('summary', {}, title),
    list,
  )
  group.open = result !== 'verified'
  let shown = 0
  const more = element('button', { type: 'button' })
  const show = () => {
    const next = all.slice(shown, shown + shownAtOnce)
    list.append(...next.map((finding) => element('li', {}, ...sentenceOf(finding))))
    shown += next.length
    const left = all.length - shown
    more.textContent = `Show ${Math.min(left, shownAtOnce)} more of ${left}`
    if (left === 0) more.remove()
  }
  show()
  if (shown < all.length) group.append(more)
  more.addEventListener('click', () => {
    const first = list.children.length
    show()
    // The button may be gone, and with it the place of the keyboard.
    const item = list.children[first]
    if (item instanceof HTMLElement && !more.isConnected) {
      item.tabIndex = -1
      item.focus()
    }
  })
  return group
}

function sentenceOf({ check, about, detail }: Finding): readonly (string | Node)[] {
  return [element('b', {}, check), ', ', foreign(about), ': ', foreign(detail)]
}

/** The report as `countersign-verify --json` has it of one file. */
function saveButton(report: FileReport): HTMLElement {
  const button = element('button', { type: 'button' }, 'Save this report (JSON)')
  button.addEventListener('click', () => {
    const json = `${JSON.stringify(report, null, 2)}\n`
    const address = URL.createObjectURL(new Blob([json], { type: 'application/json' }))
    const link = element('a', {})
    link.href = address
    link.download = 'verification.json'
    link.click()
    // The download has begun by the next turn, and the browser keeps what it needs of it.
    setTimeout(() => URL.revokeObjectURL(address), 0)
  })
  return button
}
