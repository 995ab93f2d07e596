/** A manifest of plain image rows, as CSV text. */
export function imageManifest(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, i) =>
      `row-${String(i).padStart(6, '0')},svc/image,svc-alpha.2-klein-4b,"a harbour at dawn, study ${i}",320,200`,
  );
  return `id,kind,model,prompt,width,height\n${lines.join('\n')}\n`;
}
