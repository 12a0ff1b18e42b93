import type { EvidenceKeys } from '@countersign/core/evidence'
import type { FileReport } from '../verify/report.ts'
import { element, fieldOf } from './elements.ts'
import { reportView, unreadableView } from './report-view.ts'
import { styles } from './styles.ts'
import { readKeyBlob, verifyBlob } from './verify-blob.ts'
import { checkingWords, doneWords, droppedWords, keyWords, messageOf } from './words.ts'

/** How the verifier stands in a page. */
export interface VerifierOptions {
  /** Where files may be dropped; the verifier itself if absent. */
  readonly dropTarget?: EventTarget
}

/**
 * Draws the verifier into an element, in a shadow root of its own: a person chooses or drops files and reads what was
 * checked. It connects to nothing, writes no markup and needs no more of a content security policy than its script.
 * Yields a function that takes it out again.
 *
 * @example
 * ```ts
 * import { mountVerifier } from '@countersign/documents/browser'
 *
 * const unmount = mountVerifier(document.getElementById('verifier'))
 * ```
 */
export function mountVerifier(host: HTMLElement, options: VerifierOptions = {}): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  root.adoptedStyleSheets = [sheet]

  const evidence = fieldOf({
    label: 'Evidence to verify',
    hint: 'A pack (.zip), or documents (.json, .jsonl). You can also drop files anywhere on this page.',
    accept: '.zip,.json,.jsonl',
    multiple: true,
  })
  const published = fieldOf({
    label: 'The issuer’s published keys (optional)',
    hint: 'The JSON at /.well-known/evidence-keys/<tenant> of the issuer. Without it, a pack is checked by the key that came with it: that shows that nobody changed the pack since, not who made it.',
    accept: '.json',
    multiple: false,
  })
  const status = element('p', { class: 'status', role: 'status' })
  const results = element('div', { class: 'results' })
  const area = element('div', { class: 'area' }, evidence.field, published.field)
  root.replaceChildren(area, status, results)

  let files: readonly File[] = []
  let keys: EvidenceKeys | null = null
  /** Counts what was asked for, so that a check that is out of date draws nothing. */
  let turn = 0

  async function check(): Promise<void> {
    const mine = ++turn
    results.replaceChildren()
    const reports: FileReport[] = []
    for (const [at, file] of files.entries()) {
      status.textContent = checkingWords(file.name, at + 1, files.length)
      const report = await verifyBlob(file, file.name, keys).catch((error: unknown) =>
        messageOf(error),
      )
      if (mine !== turn) return
      if (typeof report === 'string') results.append(unreadableView(file.name, report))
      else {
        reports.push(report)
        results.append(reportView(report))
      }
    }
    status.textContent = doneWords(reports, files.length)
  }

  async function takeKeys(): Promise<void> {
    const [file] = published.input.files ?? []
    keys = null
    published.note('')
    try {
      if (file) {
        keys = await readKeyBlob(file)
        published.note(keyWords(file.name, keys.size))
      }
    } catch (error) {
      published.input.value = ''
      published.note(`${file?.name ?? ''} holds no keys: ${messageOf(error)}.`)
    }
    if (files.length > 0) await check()
  }

  const target = options.dropTarget ?? host
  const leave = new AbortController()
  const { signal } = leave
  const listen = (on: EventTarget, type: string, then: (event: Event) => void) =>
    on.addEventListener(type, then, { signal })
  listen(evidence.input, 'change', () => {
    files = [...(evidence.input.files ?? [])]
    void check()
  })
  listen(published.input, 'change', () => void takeKeys())
  listen(target, 'dragover', (event) => {
    event.preventDefault()
    area.classList.add('over')
  })
  listen(target, 'dragleave', () => area.classList.remove('over'))
  listen(target, 'drop', (event) => {
    event.preventDefault()
    area.classList.remove('over')
    const dropped = [...((event as DragEvent).dataTransfer?.files ?? [])]
    if (dropped.length === 0) {
      status.textContent = droppedWords
      return
    }
    files = dropped
    evidence.input.value = ''
    void check()
  })
  return () => {
    turn++
    leave.abort()
    root.replaceChildren()
  }
}
