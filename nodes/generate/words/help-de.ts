/** The help of the nodes in German, round what declarations say in English. */
import type { HelpWords } from "./help-en";

export const germanHelp: HelpWords = {
  headings: {
    fields: "Felder",
    outputs: "Ausgaben",
    details: "Einzelheiten",
    errors: "Fehler",
    references: "Verweise",
    settings: "Einstellungen",
    changes: "Änderungen",
    status: "Stand",
  },
  summaries: {
    "cash.getPosition":
      "Liefert die Salden aller Konten mit Summen je Währung. Mit `into` und `rates` auch eine umgerechnete Summe.",
    "transactions.find":
      "Findet Umsätze über alle Konten nach Zeitraum, Betrag, Gegenseite oder Text, mit Summen je Währung.",
    "transactions.summarize": "Summiert Umsätze nach Monat, Gegenseite, Konto, Währung, Richtung oder Art.",
    "transactions.reconcile":
      "Gleicht erwartete Zahlungen, etwa offene Rechnungen, mit den Umsätzen eines Zeitraums ab und liefert Zuordnungen, offene Posten und nicht zugeordnete Umsätze.",
    "statements.fetch": "Lädt die Kontoauszüge aller Konten für einen Zeitraum als PDF, CSV, MT940 oder XLS.",
    "forwards.list":
      "Listet offene Termingeschäfte mit Restbeträgen, Kursen und Fälligkeiten, offene Abrufe, Margin und Summen je Währung und Monat.",
    "exposure.get":
      "Berechnet das Währungsrisiko je Laufzeit: erwartete Zahlungen und Salden, absichernde Geschäfte und die offene Nettoposition.",
    "accounts.list": "Listet die Konten in den angegebenen Währungen, mit IDs, Namen und Status.",
    "accountDetails.list":
      "Listet eigene und gemeinsame (pooled) Kontoverbindungen, an die Kunden zahlen: IBAN, BIC und Bank.",
    "accounts.getFunding":
      "Liefert das Konto, auf das der Client Geld für seine Geschäfte einzahlen muss, für eine Währung oder ein Konto.",
    "transactions.get": "Liefert einen Umsatz nach seiner ID, mit Gegenseite, Referenz und Verwendungszweck.",
    "trades.list": "Listet die Devisengeschäfte des Clients mit Beträgen, Kursen, Daten und Status.",
    "trades.get":
      "Liefert ein Geschäft nach seiner ID: Beträge, Kurs, Daten und Status, auf Wunsch mit seinen Zahlungen.",
    "trades.book":
      "Schließt ein Devisengeschäft zu einem vorliegenden Angebot ab und liefert Geschäfts-ID und Einzahlungskonto.",
    "transactions.watch": "Meldet neue, geänderte und entfernte Umsätze, etwa Zahlungseingänge und Gebühren.",
    "accounts.watchBalances":
      "Meldet, wenn ein Saldo eine Schwelle über- oder unterschreitet, und wenn er sich erholt.",
    "accounts.watchMargin":
      "Meldet Nachschussforderungen für Termingeschäfte: neue, geänderte und beglichene.",
    "trades.watch": "Meldet neue Geschäfte und Änderungen ihres Status.",
    "forwards.watch": "Meldet Termingeschäfte und Abrufe einige Tage vor ihrer Fälligkeit.",
  },
  oneOf: "Eines von: __options__",
  anyOf: "Beliebige von: __options__",
  usually: "Sonst: __value__",
  eachEntry: "Jeder Eintrag von __paths__:",
  untouched: "wie zuvor",
  orText: " oder string",
  asItIsNow: "Wie er jetzt ist; null, wenn er weg ist.",
  entry: "Der Eintrag, wie er jetzt ist; null, wenn er weg ist.",
  body: "Der Inhalt der Antwort.",
  filename: "Der Name, den der Dienst vorschlägt, oder der Pfad, unter dem die Datei gespeichert wurde.",
  contentType: "Der Medientyp der Datei.",
  statusCode: "Der HTTP-Status der Antwort.",
  metadata:
    "Was sonst von der Antwort bekannt ist, in jeder Betriebsart: operation, status, headers, requestId, attempts, violations, total; wenn sie Geld bindet, ihr Eintrag im Journal und ob sie von dort kam; bei einer Liste in Seiten, wie viele gelesen wurden und ob es mehr gibt.",
  repetition: {
    read: "Es wird noch einmal versucht, wenn der Dienst beschäftigt oder kurz nicht zu erreichen ist.",
    change: "Es wird einmal gesendet.",
    money:
      "Es wird einmal gesendet und nie wiederholt: Geht die Antwort verloren, ist beim Dienst nachzusehen, ob es ausgeführt wurde.",
  },
  paging: "Die Liste kommt in Seiten.",
  unknownOutcome: "Der Fehlercode einer verlorenen Antwort ist outcome_unknown.",
  sendingPages:
    "Der Node sendet eine Seite, alle Seiten als eine Nachricht, oder eine Nachricht je Seite oder je Eintrag, in einer Folge (msg.parts), die ein Join-Node wieder zusammensetzt; die nächste Seite wird gelesen, wenn die folgenden Nodes mit den Nachrichten der vorigen fertig sind.",
  sendingRows:
    "Der Node sendet das ganze Ergebnis, oder eine Nachricht je Eintrag von __rows__, in einer Folge (msg.parts), mit dem Rest des Ergebnisses in msg.fxdesk.result; wo es keinen gibt, keine Nachricht.",
  asking:
    "msg.timeoutMs ist das Zeitlimit dieses Aufrufs. Eine Nachricht mit msg.cancel ruft nichts auf: sie beendet, was der Node für die Nachrichten liest, deren msg.fxdesk.key, sonst _msgid, sie nennt, oder mit true alles.",
  key: {
    means:
      "Der Schlüssel steht für diesen Aufruf allein, etwa die Nummer einer Rechnung: msg.fxdesk.key, wenn das Formular nichts anderes sagt",
    needed: "Ohne einen wird nichts gesendet.",
    optional: "Er darf fehlen.",
    usual: "Ohne einen ist es __usual__.",
    again:
      "Derselbe Aufruf mit demselben Schlüssel wird nicht noch einmal gesendet: was daraus wurde, wird weitergegeben, mit msg.fxdesk.journal.replayed gleich true; ein anderer Aufruf mit diesem Schlüssel wird abgelehnt",
    noIdentifier: "Die Kennung einer Nachricht ist keiner, weil ihre Kopien sie teilen",
  },
  filling:
    "Im Formular ausgefüllt. Von selbst wird nichts aus der Nachricht genommen: bei einem Feld msg wählen, oder leere Felder die gleichnamigen Eigenschaften von msg.payload nehmen lassen.",
  values:
    "Ein Feld nimmt einen festen Wert, eine Eigenschaft der Nachricht, des Flow- oder globalen Kontexts, einen JSONata-Ausdruck, eine Umgebungsvariable oder eine Mustache-Vorlage wie {{payload.id}}. Ein leeres Feld wird weggelassen.",
  caught:
    "Ein Fehler geht an Catch-Nodes: msg.error.message sagt, was zu tun ist, msg.error.code bleibt über Versionen gleich, und msg.error.cause enthält outcome, status, retryable, requestId, violations und Code, Meldung und Einzelheiten des Dienstes.",
  call: {
    pages: "Eine Liste kann in Seiten kommen.",
    summary: "Ruft jede Operation der Verbindung auf, auch die von Erweiterungen.",
    operation: "Name der Operation, etwa trades.list; im Formular gewählt oder geschrieben.",
    input:
      "Die Felder der Operation nach Namen, oder ihr JSON-Text; msg.payload, wenn nichts anderes gesagt ist.",
    details: [
      "Die Operationen des Vertrags haben eigene Nodes. Dieser Node ruft auch die auf, die ein Modul hinzufügt, das die Umgebungsvariable FXDESK_EXTENSIONS nennt, wo Node-RED läuft; die Liste zeigt alle. Was eine Operation tut, und welche Felder sie nimmt, steht unter der Auswahl.",
      "Die Eingabe ist msg.payload, oder was das Formular sagt: eine andere Eigenschaft der Nachricht, des Flow- oder globalen Kontexts, JSON, ein JSONata-Ausdruck, eine Umgebungsvariable oder eine Mustache-Vorlage.",
      "Von einem Ergebnis, dessen Antwort eine seiner Listen ist, sendet der Node das Ganze, oder eine Nachricht je Eintrag, mit dem Rest in msg.fxdesk.result.",
      "Eine Operation, die Geld bindet oder bewegt, wird einmal gesendet und nie wiederholt: Geht eine Antwort verloren, ist der Fehlercode outcome_unknown, und die Meldung sagt, was zu prüfen ist. Eine aus einer Erweiterung, die kein GET ist, zählt als solche, wenn FXDESK_EXTENSION_EFFECTS sie nicht nennt.",
      "Der Schlüssel, msg.fxdesk.key, wenn das Formular nichts anderes sagt, steht für einen solchen Aufruf allein: derselbe Aufruf mit demselben Schlüssel wird nicht noch einmal gesendet, und was daraus wurde, wird weitergegeben. Zahlungen brauchen einen.",
    ],
  },
  watch: {
    summary: "Meldet die Änderungen jeder Beobachtung der Verbindung, auch die von Erweiterungen.",
    watch: "Name der Beobachtung, etwa trades.watch; im Formular gewählt oder geschrieben.",
    input: "Die Felder der Beobachtung nach Namen.",
    topic: "Der Name der Beobachtung.",
    change:
      "Die Änderung: ihre Art kind (new, changed oder gone), die id des Eintrags, was vorher von ihm zählte (before), wann sie gefunden wurde (at), und ob sie schon gemeldet wurde (repeated).",
    state:
      "Woran sie ist: state (reading, waiting, held, failed, incomplete, ended), until, error mit Code und Meldung, gaps.",
    details: [
      "Sie beginnt mit dem Deploy, sendet eine Nachricht je Änderung, und endet mit dem nächsten Deploy. Jede Änderung kommt einmal, auch über Neustarts: wo sie war, steht im Speicher unter der ID des Nodes. Was in Arbeit war, als Node-RED abgebrochen wurde, kommt noch einmal, mit repeated gleich true.",
      "Sie beginnt das erste Mal, wie das Formular sagt; mit anderen Feldern beginnt sie neu. Was sich nicht lesen lässt, wird wieder versucht, nach einer Pause, die auf fünf Minuten wächst.",
      "Ein Feld nimmt einen festen Wert, eine Umgebungsvariable oder einen Wert des Flow- oder globalen Kontexts, gelesen beim Start.",
    ],
  },
  connection: {
    summary:
      "Eine Verbindung zum Dienst. Die Nodes, die sie benutzen, teilen ihr Zugangstoken, ihr Tempo und ihre Sockets.",
    details: [
      "Jedes Feld darf eine Umgebungsvariable enthalten, geschrieben ${NAME}. Werden alle Einstellungen aus der Umgebung gelesen, sind es die oben genannten Variablen, und das Formular bleibt leer: ein Flow lässt sich dann weitergeben, wie er ist.",
      "Geheimnisse bewahrt Node-RED verschlüsselt auf. Sie stehen in keinem Flow und keinem Export.",
      "Anmelden öffnet die Anmeldeseite des Dienstes, mit ID und Geheimnis der Anwendung. Wer sich anmeldet, kommt in diesen Editor zurück, nach fxdesk/connection/return unter seiner Adresse, die für die Anwendung eingetragen sein muss; oder an die Rücksprungadresse, wo eine gesetzt ist. Die Token liegen im Speicher. Danach die Verbindung aktualisieren und übernehmen (deploy).",
      "Testen macht einen Aufruf, der nur liest, und sagt, ob der Dienst erreicht wird und ihn zulässt, für welchen Client und in welcher Umgebung. Versucht wird, was im Formular steht.",
    ],
  },
};

const payloadNote =
  "msg.payload ist, wie es steht: release, state, terms, seal, asked_by, valid_until; msg.fxdesk.correlation ist, was der " +
  "Flow, der gefragt hat, in seinem hatte. Sonst bleibt nichts von der Nachricht, die gefragt hat.";
const deliveryNote =
  "Jede wird einmal gemeldet, auch über Neustarts; wo sie gemeldet wurde und Node-RED sogleich endete, noch einmal, mit " +
  "msg.fxdesk.repeated gleich true.";

/** The nodes round releases and for assistants in German. */
export const germanNodeTexts: Readonly<
  Record<string, { label: string; summary: string; details: readonly string[] }>
> = {
  "fxdesk-release-asked": {
    label: "Freigabe angefragt",
    summary: "Meldet, was auf das Ja einer Person zu warten beginnt.",
    details: [
      payloadNote,
      deliveryNote,
      "Weiterzugeben an alle, die handeln müssen, per Mail oder Nachricht. Ein Link zur Seite der Freigaben sagt zu nichts ja.",
    ],
  },
  "fxdesk-release-decided": {
    label: "Freigabe entschieden",
    summary: "Meldet, dass etwas nicht mehr wartet, und von da an jede Änderung seines Standes.",
    details: [
      "Die Stände sind released, refused, cancelled und expired; booking, booked und unknown bei einem Auftrag; sent bei einem Aufruf.",
      payloadNote,
      deliveryNote,
    ],
  },
  "fxdesk-release": {
    label: "Freigeben",
    summary: "Sagt ja oder nein zu einem Auftrag oder Aufruf, als die Person, deren Geheimnis der Node hat.",
    details: [
      "Die Verbindung nennt die Dateien von Regeln (policy) und Personen. Freigabe-ID und Siegel sind die von msg.payload, wenn das Formular nichts anderes sagt: ein anderes Siegel als das der Bedingungen wird abgelehnt.",
      "Wer gefragt hat, kann nicht freigeben. Aber wer diesen Flow ändern oder ihm eine Nachricht senden kann, hat das Ja dieser Person: wo es geht, sollten Menschen auf der Seite entscheiden.",
      "msg.payload ist, wie es danach steht. Was nicht zählt, geht an Catch-Nodes, mit dem Code release_refused.",
    ],
  },
  "fxdesk-mcp-server": {
    label: "MCP-Server",
    summary: "Bietet KI-Assistenten die Verbindung als MCP-Server an, unter der Adresse von Node-RED selbst.",
    details: [
      "Ein Assistent bekommt diese Adresse mit dem Pfad darunter, etwa http://localhost:1880/mcp, und das Zugangstoken, das er als Authorization: Bearer sendet. Wer es hat, kann die Werkzeuge aufrufen: mindestens 16 Zeichen, die niemand errät. Hat das Formular keines, ist es FXDESK_MCP_TOKEN der Umgebung.",
      "Werkzeuge, die etwas ändern oder Geld binden, werden nur angeboten, wo das hier erlaubt ist. Was Geld bindet, wartet auf die Freigabe einer Person, wenn die Regeln der Verbindung nichts anderes sagen.",
      "Wo Node-RED für HTTP-Nodes ein eigenes Passwort verlangt (httpNodeAuth), kommen Assistenten nicht durch: den Pfad mit einem Proxy davon ausnehmen.",
    ],
  },
  "fxdesk-tool": {
    label: "Werkzeug",
    summary: "Beginnt einen Flow, den KI-Assistenten als Werkzeug aufrufen, neben denen des Dienstes.",
    details: [
      "msg.payload enthält die Argumente, die dem Formular entsprechen; msg.fxdesk steht für den Aufruf. Der Flow endet mit einem Node „Werkzeug-Ergebnis“, der dieses msg.fxdesk braucht.",
      "Ein Modell wählt ein Werkzeug nach seiner Beschreibung: sie sagt, was es tut, und wann es das richtige ist.",
      "Ein Flow, der mehr tut als lesen, muss es sagen: er wird nur angeboten, wo der MCP-Server Änderungen erlaubt. Ein Deploy beendet die Aufrufe, die warten.",
    ],
  },
  "fxdesk-tool-result": {
    label: "Werkzeug-Ergebnis",
    summary: "Beendet einen Flow, den ein KI-Assistent aufgerufen hat: msg.payload ist, was er erfährt.",
    details: [
      "Text erfährt er, wie er ist, ein Objekt mit seinen Feldern. Auch ein Catch-Node sollte hierher führen, damit er erfährt, was schiefging, statt nichts: es sind die Worte von msg.error.",
    ],
  },
};
