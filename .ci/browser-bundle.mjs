/** How esbuild makes what runs in a browser; nothing is written, and what it was made of is answered. */
export const browserBundle = (root) => ({
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'browser',
  target: 'es2023',
  legalComments: 'eof',
  metafile: true,
  write: false,
  logLevel: 'warning',
})
