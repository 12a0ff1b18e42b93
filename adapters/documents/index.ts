export { createPdfRenderer, type PdfRendererOptions } from './pdf/renderer.ts'
export { zipArchives } from './zip/zip-archives.ts'
