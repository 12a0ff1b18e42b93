import { execFileSync, spawnSync } from 'node:child_process'
import { fileOf } from './packs.ts'

/** Why tests that look at a PDF with poppler are skipped; false where it is present. */
export const noPoppler = spawnSync('pdftotext', ['-v']).error
  ? 'no poppler: apt-get install poppler-utils'
  : false

/** All text of a PDF, as a reader would copy it. */
export function textOf(pdf: Uint8Array): string {
  return execFileSync('pdftotext', ['-raw', fileOf(pdf, 'text.pdf'), '-'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
}

/** A value that `pdfinfo` tells. */
export function infoOf(pdf: Uint8Array, name: string): string {
  const all = execFileSync('pdfinfo', [fileOf(pdf, 'info.pdf')], { encoding: 'utf8' })
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(all)?.[1] ?? ''
}

/** How many pixels of each page are not white, at 40 dots per inch. */
export function inkOf(pdf: Uint8Array): readonly number[] {
  const images = execFileSync('pdftoppm', ['-gray', '-r', '40', fileOf(pdf, 'ink.pdf')], {
    maxBuffer: 2 ** 28,
  })
  // Portable graymaps one behind another: a head of three lines, then a byte a pixel.
  const pages: number[] = []
  for (let at = 0; at < images.length; ) {
    const head = /^P5\n(\d+) (\d+)\n255\n/.exec(images.toString('latin1', at, at + 40))
    if (!head) throw new Error('expected a graymap of pdftoppm')
    const start = at + head[0].length
    at = start + Number(head[1]) * Number(head[2])
    pages.push(images.subarray(start, at).filter((gray) => gray < 200).length)
  }
  return pages
}
