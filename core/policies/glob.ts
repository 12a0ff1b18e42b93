import { type Slices, sliceSize } from '../base/json/in-slices.ts'

/**
 * A compiled glob: `*` is any run of characters, `?` one character, `\` takes the next one literally; characters are
 * code points, case counts. It matches a whole text.
 */
export interface Glob {
  /** Of the pattern, without stars. */
  readonly length: number
  /** Positions that a character passes, 32 to a word; `any` for a character that the pattern does not name. */
  readonly passes: ReadonlyMap<string, Int32Array>
  readonly any: Int32Array
  /** States that a star keeps alive. */
  readonly loops: Int32Array
}

/** Compiles a glob; every text is a valid one. */
export function compileGlob(pattern: string): Glob {
  const { units, stars } = parse(pattern)
  const words = (units.length >>> 5) + 1
  const any = new Int32Array(words)
  const loops = new Int32Array(words)
  const passes = new Map<string, Int32Array>()
  for (const at of stars) set(loops, at)
  for (const [at, unit] of units.entries()) if (unit === null) set(any, at)
  for (const unit of units) if (unit !== null) passes.set(unit, Int32Array.from(any))
  for (const [at, unit] of units.entries())
    if (unit !== null) set(passes.get(unit) as Int32Array, at)
  return { length: units.length, passes, any, loops }
}

/**
 * Whether the glob matches the whole text. Simulates all states together (Shift-And), so that the steps are the text's
 * length times the pattern's in words of 32, whatever the two contain.
 */
export function matchesGlob(glob: Glob, text: Iterable<string>): boolean {
  const alive = firstStates(glob)
  advance(glob, alive, text)
  return accepts(glob, alive)
}

/** The same with pauses within a long text. */
export function* matchesGlobInSlices(
  glob: Glob,
  text: string,
  slices: Slices,
): Generator<undefined, boolean> {
  const piece = Math.ceil(sliceSize / glob.loops.length)
  const alive = firstStates(glob)
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + piece, text.length)
    if (slices.spend((end - at) * glob.loops.length)) yield
    // A pair is one character.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++
    advance(glob, alive, text.slice(at, end))
    at = end
  }
  return accepts(glob, alive)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function firstStates({ loops }: Glob): Int32Array {
  const alive = new Int32Array(loops.length)
  set(alive, 0)
  return alive
}

function advance({ passes, any, loops }: Glob, alive: Int32Array, text: Iterable<string>): void {
  const words = loops.length
  for (const char of text) {
    const pass = passes.get(char) ?? any
    let carry = 0
    for (let at = 0; at < words; at++) {
      const was = alive[at] ?? 0
      const moved = was & (pass[at] ?? 0)
      alive[at] = (moved << 1) | carry | (was & (loops[at] ?? 0))
      carry = moved >>> 31
    }
  }
}

function accepts({ length }: Glob, alive: Int32Array): boolean {
  return (((alive[length >>> 5] ?? 0) >>> (length & 31)) & 1) === 1
}

/** The pattern's characters, null for `?`, and the numbers of characters before its stars. */
function parse(pattern: string): {
  readonly units: readonly (string | null)[]
  readonly stars: readonly number[]
} {
  const units: (string | null)[] = []
  const stars: number[] = []
  let escaped = false
  for (const char of pattern) {
    if (escaped || !'*?\\'.includes(char)) units.push(char)
    else if (char === '*') stars.push(units.length)
    else if (char === '?') units.push(null)
    escaped = !escaped && char === '\\'
  }
  // A final backslash has nothing to escape.
  if (escaped) units.push('\\')
  return { units, stars }
}

function set(bits: Int32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31))
}

/** A glob that finds this text anywhere. */
export function compileContains(needle: string): Glob {
  return compileGlob(`*${needle.replace(/[*?\\]/g, '\\$&')}*`)
}
