// What a bundle was made of, kept beside it with a digest, so that it is made anew when that changes.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { home } from './packages.mjs'

/** Notes the inputs and outputs of a build by esbuild; `maker` is the program that made it. */
export function noteInputs(root, notes, { inputs, outputs, maker }) {
  const makers = [maker, join(home, 'node_modules/esbuild/package.json')]
  const all = [...makers.map((file) => relative(root, file)), ...Object.keys(inputs)]
  const made = Object.keys(outputs)
  writeFileSync(notes, JSON.stringify({ digest: digestOf(root, all), inputs: all, outputs: made }))
}

/** Whether all that was noted is there and the inputs are as they were. */
export function isFresh(root, notes) {
  if (!existsSync(notes)) return false
  const { digest, inputs, outputs } = JSON.parse(readFileSync(notes, 'utf8'))
  const whole = [...inputs, ...outputs].every((file) => existsSync(join(root, file)))
  return whole && digest === digestOf(root, inputs)
}

function digestOf(root, inputs) {
  const hash = createHash('sha256')
  for (const file of inputs) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
