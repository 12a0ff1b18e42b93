// Loaded with `--import` before a test file: notes, for each test, what of the service came by while it ran, and writes
// that as JSON into COUNTERSIGN_RECORD when the process ends. COUNTERSIGN_RECORD_ONLY, a JSON list of names, runs these
// tests of the file alone.
import { writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { createRecorder, recorderKey } from './recorder.mjs'

const { COUNTERSIGN_RECORD: file, COUNTERSIGN_RECORD_ONLY: only } = process.env
if (file) {
  const recorder = createRecorder({ only: only ? JSON.parse(only) : null })
  globalThis[recorderKey] = recorder
  register('./hooks.mjs', import.meta.url)
  process.on('exit', () => writeFileSync(file, JSON.stringify(recorder.notes())))
}
