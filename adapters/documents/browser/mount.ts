import type { EvidenceKeys, KnownEvidence } from '@countersign/core/evidence'
import type { FileReport } from '../verify/report.ts'
import { element, type Field, fileFieldOf, textFieldOf } from './elements.ts'
import { reportView, unreadableView } from './report-view.ts'
import { styles } from './styles.ts'
import { readKeyBlob, readKnownBlobs, readRecordBlob, verifyBlob } from './verify-blob.ts'
import {
  checkingWords,
  doneWords,
  droppedWords,
  keyWords,
  knownWords,
  messageOf,
  noSumWords,
  recordWords,
  refusedWords,
  severalWords,
} from './words.ts'

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

  const evidence = fileFieldOf({
    label: 'Evidence to verify',
    hint: 'A pack (.zip), or documents (.json, .jsonl). You can also drop them here.',
    accept: '.zip,.json,.jsonl',
    multiple: true,
  })
  const published = fileFieldOf({
    label: 'The issuer’s published keys (optional)',
    hint: 'The JSON at /.well-known/evidence-keys/<tenant> of the issuer. Without it, a pack is checked by the key that came with it: that shows that nobody changed the pack since, not who made it.',
    accept: '.json',
    multiple: false,
  })
  const held = fileFieldOf({
    label: 'What you hold from before (optional)',
    hint: 'Anchor ledgers, evidence, proofs, certificates, batches or audit logs of the issuer that you had earlier, or lines of 64 hex digits. With them it is found out what the issuer wrote anew since.',
    accept: '.json,.jsonl,.txt',
    multiple: true,
  })
  const sum = textFieldOf({
    label: 'SHA-256 of the whole file (optional)',
    hint: '64 hex digits, as the record of the package or the issuer told you.',
  })
  const record = fileFieldOf({
    label: 'Record of the package (optional)',
    hint: 'The JSON of the package, or of the event that told of it: its SHA-256 is taken from there.',
    accept: '.json',
    multiple: false,
  })
  const status = element('p', { class: 'status', role: 'status' })
  const results = element('div', { class: 'results' })
  const all = [evidence, published, held, sum, record]
  const area = element('div', { class: 'area' }, ...all.map(({ field }) => field))
  root.replaceChildren(area, status, results)

  let files: readonly File[] = []
  let keys: EvidenceKeys | null = null
  let known: KnownEvidence | null = null
  /** Of the whole file, hex; null where none was given. */
  let sha256: string | null = null
  /** Counts what was asked for, so that a check that is out of date draws nothing. */
  let turn = 0

  async function check(): Promise<void> {
    const mine = ++turn
    results.replaceChildren()
    const reports: FileReport[] = []
    const isOne = files.length === 1
    if (sha256 !== null) sum.note(isOne ? '' : severalWords)
    const compared = { known, sha256: isOne ? sha256 : null }
    for (const [at, file] of files.entries()) {
      status.textContent = checkingWords(file.name, at + 1, files.length)
      const report = await verifyBlob(file, file.name, keys, compared).catch((error: unknown) =>
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

  /** Reads what a field was given, and says so beside it; null where it was given nothing that can be read. */
  async function taken<T>(
    { input, note }: Field,
    read: (given: readonly File[]) => Promise<T>,
    wordsOf: (names: string, value: T) => string,
  ): Promise<T | null> {
    const given = [...(input.files ?? [])]
    const names = given.map(({ name }) => name).join(', ')
    note('')
    if (given.length === 0) return null
    try {
      const value = await read(given)
      note(wordsOf(names, value))
      return value
    } catch (error) {
      input.value = ''
      note(refusedWords(names, error))
      return null
    }
  }

  async function takeKeys(): Promise<void> {
    keys = await taken(
      published,
      async ([file]) => readKeyBlob(file ?? new Blob()),
      (name, { size }) => keyWords(name, size),
    )
    if (files.length > 0) await check()
  }

  async function takeKnown(): Promise<void> {
    known = await taken(held, readKnownBlobs, knownWords)
    if (files.length > 0) await check()
  }

  async function takeSum(): Promise<void> {
    const text = sum.input.value.trim().toLowerCase()
    const isSum = /^[0-9a-f]{64}$/.test(text)
    sha256 = isSum ? text : null
    sum.note(isSum || text === '' ? '' : noSumWords)
    if (files.length > 0) await check()
  }

  async function takeRecord(): Promise<void> {
    const told = await taken(
      record,
      async ([file]) => readRecordBlob(file ?? new Blob()),
      recordWords,
    )
    if (told === null) return
    sum.input.value = told
    await takeSum()
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
  listen(held.input, 'change', () => void takeKnown())
  listen(sum.input, 'change', () => void takeSum())
  listen(record.input, 'change', () => void takeRecord())
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
